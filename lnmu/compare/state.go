package compare

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"reflect"
	"time"

	"nmu/lnmu/internal/codec"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/run"
	"nmu/lnmu/internal/state"
)

// Magic begins a state. Its version changes with the fields of a state, and with the computations
// that go on from it.
const Magic = "nmu comparison 3\n"

// ReadNote reads a state to its end and returns its note, that of lnmu.Checkpoint. The error, which
// wraps lnmu.ErrCheckpoint, says whether the state is incomplete or damaged.
func ReadNote(r io.Reader) (note []byte, err error) {
	return codec.Note(r, Magic)
}

// identity returns the properties, one in a line, that a run must share with the run whose
// state it resumes.
func (j *job[T]) identity() string {
	s := &j.Settings
	of := []any{
		"evaluation", j.Evaluation, "rows", j.rows, "columns", j.cols, "precision", fmt.Sprintf("%T", T(0)), "matrix", j.data.sum(), "equal weights", j.data.Weight,
		"ranks", j.Ranks, "folds", s.Folds, "consensus", s.Consensus, "runs", s.Runs, "resampling", s.Resample, "level", s.Level, "method", j.Method.Name(),
	}
	run.EachField(reflect.ValueOf(j.Method), func(name string, value reflect.Value) { of = append(of, "option "+name, value) })
	return codec.Properties(append(of,
		"iterations", s.Iterations, "start", s.Init, "seed", s.Seed, "restarts", s.Restarts,
		"tolerance", s.Tolerance, "check interval", s.CheckEvery, "solver for missing entries", s.MissingSolver)...)
}

// sum returns a hash of the matrix, its mask and its weights.
func (d data[T]) sum() string {
	h := sha256.New()
	if m := d.sparse; m != nil {
		binary.Write(h, binary.LittleEndian, m.Idx)
		for _, p := range m.Ptr {
			binary.Write(h, binary.LittleEndian, int64(p))
		}
		h.Write(codec.AppendFloats(nil, m.Val))
		return hex.EncodeToString(h.Sum(nil))
	}
	line := make([]byte, 0, 8*d.dense.Cols)
	for i := range d.dense.Rows {
		line = codec.AppendFloats(line[:0], d.dense.Row(i))
		for j := range d.dense.Cols {
			if d.Mask != nil && !d.Mask.Observed(i, j) {
				line = append(line, byte(j), byte(j>>8), byte(j>>16), byte(j>>24))
			}
			if d.Weights != nil {
				line = binary.LittleEndian.AppendUint64(line, math.Float64bits(d.Weights.At(i, j)))
			}
		}
		h.Write(line)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// encode writes a state: finished runs, and what those of a series have in common.
func (j *job[T]) encode(w io.Writer) error {
	e := codec.NewEncoder(w, group.Self{}, nil)
	e.Write([]byte(Magic))
	identity := j.identity()
	e.Do(state.Named("note", &j.Settings.Checkpoint.Note), state.Named("comparison", &identity))
	elapsed := time.Since(j.begun).Seconds()
	j.code(e, &elapsed)
	e.Seal()
	return e.Err()
}

func (j *job[T]) load() error {
	c := j.Settings.Checkpoint
	if c == nil {
		return nil
	}
	j.due = j.begun.Add(c.After)
	if c.Resume == nil {
		return nil
	}
	d := codec.Open(c.Resume, Magic, "comparison", j.identity())
	elapsed := 0.0
	j.code(d, &elapsed)
	d.Sealed()
	if !(elapsed >= 0 && elapsed < float64(math.MaxInt64/time.Second)) {
		d.Damaged("%v seconds", elapsed)
	}
	j.begun = j.begun.Add(-time.Duration(elapsed * float64(time.Second)))
	return d.Err()
}

// code encodes or decodes what changes in a job.
func (j *job[T]) code(c codec.Coder, elapsed *float64) {
	c.Do(state.Named("elapsed", elapsed))
	codec.List(c, "notes", &j.notes, func(text *string) []state.Field { return []state.Field{state.Named("text", text)} }, nil)
	d, reads := c.(*codec.Decoder)
	for _, g := range j.series {
		c.Do(state.Named("compared", &g.compared))
		for _, u := range g.units {
			if c.Do(state.Named("done", &u.done)); c.Err() != nil {
				return
			}
			if !u.done {
				continue
			}
			c.Do(state.Named("fall", &u.fall))
			if j.by.codeUnit(c, u); reads {
				j.finished++
				g.left--
			}
		}
		if g.compared {
			j.by.codeSeries(c, g)
		}
		if reads && g.compared && g.left > 0 {
			d.Damaged("%d runs at rank %d are not finished, and compared", g.left, g.ranks[0])
		}
	}
}
