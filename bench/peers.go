package bench

import (
	"bytes"
	"context"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/isa"
	"nmu/lnmu"
)

//go:embed peers/*.py peers/*.m
var scripts embed.FS

// Peers returns the other implementations this package can run: gonum, and
// through scripts NumPy, scikit-learn and GNU Octave. Each finds out on its
// own whether it is installed.
//
// The interpreters are looked for on the path: the first that has everything
// counts, not the first of its name. The environment variables NMU_PYTHON and
// NMU_OCTAVE name others.
func Peers() []Peer {
	python := pythons()
	octave := []string{"octave-cli", "octave"}
	if p := os.Getenv("NMU_OCTAVE"); p != "" {
		octave = []string{p}
	}
	octaveFlags := []string{"--no-gui", "--quiet", "--no-init-file", "--no-site-file"}
	all := []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}}
	return []Peer{
		Gonum{},
		&script{name: "numpy", file: "numpy_peer.py", interpreters: python, methods: all},
		&script{name: "scikit-learn", file: "sklearn_peer.py", interpreters: python, methods: all[:1]},
		&script{name: "octave", file: "octave_peer.m", interpreters: octave, flags: octaveFlags, methods: all},
	}
}

// pythons returns the names of the interpreters to look for.
func pythons() []string {
	if p := os.Getenv("NMU_PYTHON"); p != "" {
		return []string{p}
	}
	return []string{"python3", "python"}
}

// script is a peer in another language. It is called as
//
//	interpreter flags... file --version
//	interpreter flags... file job.json
//
// and prints as its last line an Outcome in JSON; of --version only the names
// count, and a field "missing" names what is not installed. Matrices pass
// through files of little-endian numbers, row after row.
type script struct {
	name         string
	file         string // in peers/
	interpreters []string
	flags        []string
	methods      []lnmu.Method

	mu        sync.Mutex
	found     bool
	command   string            // the interpreter that has what the script needs
	about     Outcome           // its names
	missing   error             // why there is none
	coreTypes map[string]string // the fastest OPENBLAS_CORETYPE for a kind of job
}

// reply is what a script prints.
type reply struct {
	Outcome
	Missing string `json:"missing"`
}

// task is a job as a script reads it.
type task struct {
	Method  string `json:"method"`
	Rows    int    `json:"rows"`
	Cols    int    `json:"cols"`
	Rank    int    `json:"rank"`
	Iters   int    `json:"iterations"`
	Inner   int    `json:"inner"` // HALS steps per iteration, T of the paper
	Threads int    `json:"threads"`
	Type    Type   `json:"type"`
	M       string `json:"m"` // files
	V       string `json:"v"`
	W       string `json:"w"`
}

// Name returns the name of the program the script uses.
func (s *script) Name() string { return s.name }

// Available runs the script with --version, once.
func (s *script) Available(ctx context.Context) (string, error) {
	dir, err := s.unpack()
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := s.find(ctx, dir); err != nil {
		return "", err
	}
	return s.about.Version, nil
}

// Run writes the job to files and runs the script, with OPENBLAS_CORETYPE set
// to what is fastest for jobs of this kind.
func (s *script) Run(ctx context.Context, job Job) (Outcome, error) {
	job, err := job.check()
	if err != nil {
		return Outcome{}, err
	}
	name := nameOf(job.Method)
	if !slices.ContainsFunc(s.methods, func(m lnmu.Method) bool { return nameOf(m) == name }) {
		return Outcome{}, fmt.Errorf("%w: %s by %s", ErrUnsupported, name, s.name)
	}
	dir, err := s.unpack()
	if err != nil {
		return Outcome{}, err
	}
	defer os.RemoveAll(dir)
	if err := s.find(ctx, dir); err != nil {
		return Outcome{}, err
	}
	t := task{Method: name, Iters: job.Iters, Inner: steps(job.Method), Threads: job.Threads, Type: job.Type}
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

// unpack writes the scripts into a new directory.
func (s *script) unpack() (dir string, err error) {
	dir, err = os.MkdirTemp("", "nmu-peer-")
	if err != nil {
		return "", fmt.Errorf("bench: directory for %s: %w", s.name, err)
	}
	files, err := scripts.ReadDir("peers")
	for _, f := range files {
		var text []byte
		if text, err = scripts.ReadFile("peers/" + f.Name()); err == nil {
			err = os.WriteFile(filepath.Join(dir, f.Name()), text, 0o600)
		}
		if err != nil {
			break
		}
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("bench: scripts for %s: %w", s.name, err)
	}
	return dir, nil
}

// find looks for an interpreter that has everything the script needs.
func (s *script) find(ctx context.Context, dir string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found {
		return s.missing
	}
	var why []string
	for _, name := range s.interpreters {
		paths := programs(name)
		if len(paths) == 0 {
			why = append(why, "no program "+name)
		}
		for _, path := range paths {
			r, err := s.call(ctx, dir, path, 1, "", "--version")
			if ctx.Err() != nil {
				return ctx.Err()
			}
			switch {
			case err != nil:
				why = append(why, err.Error())
			case r.Missing != "":
				why = append(why, fmt.Sprintf("%s has no %s", path, r.Missing))
			default:
				s.found, s.command, s.about = true, path, r.Outcome
				return nil
			}
		}
	}
	s.found = true
	s.missing = fmt.Errorf("%w: %s: %s", ErrNotInstalled, s.name, strings.Join(why, "; "))
	return s.missing
}

// programs returns every program of that name on the path, in the path's order,
// those of a folder that is there by two names once; or the program at name, if
// that is a path.
func programs(name string) []string {
	places := []string{name}
	if filepath.Base(name) == name {
		places = nil
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			if filepath.IsAbs(dir) { // as exec.LookPath, nothing of the current folder
				places = append(places, filepath.Join(dir, name))
			}
		}
	}
	var found, folders []string
	for _, place := range places {
		path, err := exec.LookPath(place)
		if err != nil {
			continue
		}
		// The program itself may be a link and know that: one of a Python environment.
		folder, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil || slices.Contains(folders, folder) {
			continue
		}
		found, folders = append(found, path), append(folders, folder)
	}
	return found
}

// coreType returns the value of OPENBLAS_CORETYPE with which t ran fastest, by
// short trials the first time a job of its kind comes. It is "", the choice of
// the library, unless that library is OpenBLAS.
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
	short.Iters = min(t.Iters, 3)
	least := math.Inf(1)
	for _, core := range coreTypes() {
		for range 2 {
			out, err := s.do(ctx, dir, short, core)
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			if err != nil {
				break // the library may know the type and the CPU not; the default is tried too
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

// coreTypes lists what OPENBLAS_CORETYPE may be on this CPU, the library's own
// choice first.
func coreTypes() []string {
	types := []string{""}
	avail := isa.Available()
	if slices.Contains(avail, isa.AVX512) {
		types = append(types, "SkylakeX", "Cooperlake", "Sapphirerapids")
	}
	if slices.Contains(avail, isa.AVX2) {
		types = append(types, "Haswell", "Zen")
	}
	if slices.Contains(avail, isa.NEON) {
		types = append(types, "ARMV8", "NEOVERSEN1", "NEOVERSEV1")
	}
	return types
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

// call runs the script with one argument and reads the last line it prints.
func (s *script) call(ctx context.Context, dir, interpreter string, threads int, core, arg string) (reply, error) {
	args := append(slices.Clone(s.flags), filepath.Join(dir, s.file), arg)
	cmd := exec.CommandContext(ctx, interpreter, args...)
	cmd.Dir = dir
	cmd.WaitDelay = 5 * time.Second
	cmd.Env = os.Environ()
	for _, name := range []string{"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"} {
		cmd.Env = append(cmd.Env, name+"="+strconv.Itoa(threads))
	}
	if core != "" {
		cmd.Env = append(cmd.Env, "OPENBLAS_CORETYPE="+core)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return reply{}, ctx.Err()
	}
	if err != nil {
		return reply{}, fmt.Errorf("bench: %s (%s): %w: %s", s.name, interpreter, err, lastLine(stderr.String()))
	}
	var r reply
	line := lastLine(stdout.String())
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		return reply{}, fmt.Errorf("bench: %s (%s) printed %.100q: %w", s.name, interpreter, line, err)
	}
	return r, nil
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// writeNumbers writes a row after row as little-endian numbers of type t.
func writeNumbers(path string, a *mat.Dense, t Type) (err error) {
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
			if t == Float32 {
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
