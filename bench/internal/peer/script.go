package peer

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nmu/bench/internal/machine"
)

// task is a job as a script reads it.
type task struct {
	Method     string       `json:"method"`
	Rows       int          `json:"rows"`
	Cols       int          `json:"cols"`
	Rank       int          `json:"rank"`
	Iterations int          `json:"iterations"`
	Steps      int          `json:"inner"` // HALS steps per iteration, T of the paper
	Threads    int          `json:"threads"`
	Type       machine.Type `json:"type"`
	M          string       `json:"m"` // files
	V          string       `json:"v"`
	W          string       `json:"w"`
}

// Run writes the job to files and runs the script with the OPENBLAS_CORETYPE that is fastest
// for jobs of this kind.
func (s *script) Run(ctx context.Context, job Job) (Outcome, error) {
	if err := job.check(); err != nil {
		return Outcome{}, err
	}
	if !slices.Contains(s.methods, job.Method) {
		return Outcome{}, fmt.Errorf("%w: %s by %s", ErrUnsupported, job.Method, s.name)
	}
	dir, err := s.unpack()
	if err != nil {
		return Outcome{}, err
	}
	defer os.RemoveAll(dir)
	if err := s.find(ctx, dir); err != nil {
		return Outcome{}, err
	}
	t := task{Method: job.Method, Iterations: job.Iterations, Steps: job.Steps, Threads: job.Threads, Type: job.Type}
	t.Rows, t.Cols = job.M.Dims()
	_, t.Rank = job.V.Dims()
	t.M, t.V, t.W = filepath.Join(dir, "m.bin"), filepath.Join(dir, "v.bin"), filepath.Join(dir, "w.bin")
	for path, a := range map[string]*mat.Dense{t.M: job.M, t.V: job.V, t.W: job.W} {
		if err := writeNumbers(path, a, job.Type); err != nil {
			return Outcome{}, fmt.Errorf("bench: writing the data for %s: %w", s.name, err)
		}
	}
	core, err := s.coreType(ctx, dir, t)
	if err != nil {
		return Outcome{}, err
	}
	out, err := s.do(ctx, dir, t, core)
	if err != nil {
		return Outcome{}, err
	}
	out.CoreType = core
	return out, nil
}

// coreType returns the value of OPENBLAS_CORETYPE for t: the variable if it is set, otherwise
// the fastest value. Short trials find it once for each kind of job. If the library is not
// OpenBLAS, coreType returns "".
func (s *script) coreType(ctx context.Context, dir string, t task) (string, error) {
	if !strings.Contains(strings.ToLower(s.about.BLAS), "openblas") {
		return "", nil
	}
	if v := os.Getenv("OPENBLAS_CORETYPE"); v != "" {
		return v, nil
	}
	kind := fmt.Sprint(t.Method, t.Type, t.Rows, t.Cols, t.Rank, t.Threads)
	s.mu.Lock()
	best, ok := s.coreTypes[kind]
	s.mu.Unlock()
	if ok {
		return best, nil
	}
	short := t
	short.Iterations = min(t.Iterations, 3)
	least := math.Inf(1)
	for _, core := range coreTypes() {
		for range 2 {
			out, err := s.do(ctx, dir, short, core)
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			if err != nil {
				break // the CPU may lack a type that the library supports; the default is tried too
			}
			if out.Seconds < least {
				best, least = core, out.Seconds
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.coreTypes == nil {
		s.coreTypes = map[string]string{}
	}
	s.coreTypes[kind] = best
	return best, nil
}

// do runs the script on t.
func (s *script) do(ctx context.Context, dir string, t task, core string) (Outcome, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return Outcome{}, err
	}
	path := filepath.Join(dir, "job.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return Outcome{}, fmt.Errorf("bench: job for %s: %w", s.name, err)
	}
	r, err := s.call(ctx, dir, s.command, t.Threads, core, path)
	if err != nil {
		return Outcome{}, err
	}
	if r.Missing != "" {
		return Outcome{}, fmt.Errorf("%w: %s: %s", ErrNotInstalled, s.name, r.Missing)
	}
	if !(r.Seconds > 0) || !(r.RelativeError >= 0) {
		return Outcome{}, fmt.Errorf("bench: %s reported %g seconds and a relative error of %g", s.name, r.Seconds, r.RelativeError)
	}
	return r.Outcome, nil
}

// writeNumbers writes a row after row as little-endian numbers of type t.
func writeNumbers(path string, a *mat.Dense, t machine.Type) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	rows, cols := a.Dims()
	buf := make([]byte, 0, cols*t.Size())
	for i := range rows {
		buf = buf[:0]
		for _, x := range a.RawRowView(i) {
			if t == machine.Float32 {
				buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(float32(x)))
			} else {
				buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(x))
			}
		}
		if _, err := f.Write(buf); err != nil {
			return err
		}
	}
	return nil
}
