package consensus

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"nmu/lnmu"
	"nmu/lnmu/internal/codec"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/run"
	"nmu/lnmu/internal/state"
)

// Magic begins a state. Its version changes with the fields of a state, and with the computations
// that go on from it.
const Magic = "nmu consensus 4\n"

// ReadNote reads a state to its end and returns its note, that of lnmu.Checkpoint. The error, which
// wraps lnmu.ErrCheckpoint, says whether the state is incomplete or damaged.
func ReadNote(r io.Reader) (note []byte, err error) {
	return codec.Note(r, Magic)
}

// identity returns the properties, one in a line, that a run must share with the run whose
// state it resumes.
func (j *job[T]) identity() string {
	var b strings.Builder
	line := func(name string, value any) { fmt.Fprintf(&b, "%s %v\n", name, value) }
	line("rows", j.rows)
	line("columns", j.cols)
	line("precision", fmt.Sprintf("%T", T(0)))
	line("matrix", j.data.sum())
	line("equal weights", j.data.weight)
	line("ranks", j.ranks)
	line("runs", j.Runs)
	line("resampling", j.Resample)
	line("level", j.Level)
	line("method", j.method.Describe().Name)
	run.EachField(j.method, func(name string, value reflect.Value) { line("option "+name, value) })
	line("iterations", j.Iterations)
	line("start", j.Init)
	line("seed", j.Seed)
	line("restarts", j.Restarts)
	line("tolerance", j.Tolerance)
	line("check interval", j.CheckEvery)
	line("solver for missing entries", j.MissingSolver)
	return b.String()
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
			if d.mask != nil && !d.mask.Observed(i, j) {
				line = append(line, byte(j), byte(j>>8), byte(j>>16), byte(j>>24))
			}
			if d.weights != nil {
				line = binary.LittleEndian.AppendUint64(line, math.Float64bits(d.weights.At(i, j)))
			}
		}
		h.Write(line)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// encode writes a state: the points of finished ranks, and the finished runs of the others.
func (j *job[T]) encode(w io.Writer) error {
	e := codec.NewEncoder(w, group.Self{}, nil)
	e.Write([]byte(Magic))
	identity := j.identity()
	e.Do(state.Named("note", &j.Checkpoint.Note), state.Named("consensus", &identity))
	elapsed := time.Since(j.runs.Begun).Seconds()
	e.Do(state.Named("elapsed", &elapsed))
	codeNotes(e, &j.runs.Notes)
	for _, g := range j.series {
		concluded := g.point != nil
		e.Do(state.Named("concluded", &concluded))
		if concluded {
			j.codePoint(e, g.point)
			continue
		}
		for _, u := range g.units {
			e.Do(state.Named("done", &u.done))
			if u.done {
				j.codeRun(e, u)
			}
		}
	}
	e.Seal()
	return e.Err()
}

// load reads the state that the job resumes.
func (j *job[T]) load() error {
	c := j.Checkpoint
	if c == nil {
		return nil
	}
	j.due = j.runs.Begun.Add(c.After)
	if c.Resume == nil {
		return nil
	}
	d := codec.Open(c.Resume, Magic, "consensus", j.identity())
	if d.Err() != nil {
		return d.Err()
	}
	elapsed := 0.0
	d.Do(state.Named("elapsed", &elapsed))
	if d.Err() == nil && !(elapsed >= 0 && elapsed < float64(math.MaxInt64/time.Second)) {
		d.Damaged("%v seconds", elapsed)
	}
	codeNotes(d, &j.runs.Notes)
	for _, g := range j.series {
		concluded := false
		d.Do(state.Named("concluded", &concluded))
		if d.Err() == nil && concluded {
			p := &Point[T]{Rank: g.rank}
			j.codePoint(d, p)
			if d.Err() == nil && (p.Rank != g.rank || p.Runs != j.Runs || len(p.Silhouettes) != p.Rank || len(p.Kept) != p.Rank) {
				d.Damaged("rank %d of %d runs instead of rank %d of %d", p.Rank, p.Runs, g.rank, j.Runs)
			}
			g.point, g.left = p, 0
		}
		for _, u := range g.units {
			u.done = concluded
			if !concluded {
				d.Do(state.Named("done", &u.done))
			}
			if d.Err() != nil {
				return d.Err()
			}
			if u.done && !concluded {
				j.codeRun(d, u)
				g.left--
			}
			if u.done {
				j.runs.Finished++
			}
		}
	}
	d.Sealed()
	if d.Err() != nil {
		return d.Err()
	}
	j.runs.Begun = j.runs.Begun.Add(-time.Duration(elapsed * float64(time.Second)))
	return nil
}

// codeNotes encodes or decodes the notes on finished runs.
func codeNotes(c codec.Coder, notes *[]string) {
	codec.List(c, "notes", notes, func(text *string) []state.Field { return []state.Field{state.Named("text", text)} }, nil)
}

// codeRun encodes or decodes a finished run.
func (j *job[T]) codeRun(c codec.Coder, u *unit[T]) {
	if _, reads := c.(*codec.Decoder); reads {
		u.v, u.w = lnmu.NewDense[T](j.rows, u.series.rank, nil), lnmu.NewDense[T](u.series.rank, j.cols, nil)
	}
	c.Do(state.Named("error", &u.err), state.Named("Q", &u.q), state.Named("fall", &u.fall), state.Factor("V", u.v), state.Factor("W", u.w))
}

// codePoint encodes or decodes the point of a rank.
func (j *job[T]) codePoint(c codec.Coder, p *Point[T]) {
	n := len(mapped(j.cols))
	if _, reads := c.(*codec.Decoder); reads {
		for _, x := range []*lnmu.Dense[T]{&p.V, &p.VLow, &p.VHigh} {
			*x = lnmu.NewDense[T](j.rows, p.Rank, nil)
		}
		for _, x := range []*lnmu.Dense[T]{&p.W, &p.WLow, &p.WHigh} {
			*x = lnmu.NewDense[T](p.Rank, j.cols, nil)
		}
		p.Map = lnmu.NewDense[T](n, n, nil)
	}
	kept := slices.Clone(p.Kept)
	c.Do(
		state.Named("rank", &p.Rank), state.Named("runs", &p.Runs), state.Named("stability", &p.Stability), state.Named("silhouettes", &p.Silhouettes),
		state.Named("error", &p.Error), state.Named("run error", &p.RunError),
		state.Named("cophenetic", &p.Cophenetic), state.Named("dispersion", &p.Dispersion), state.Named("Q", &p.Q), state.Named("Q of the runs", &p.RunQ), state.Named("expected Q", &p.ExpectedQ),
	)
	codec.List(c, "kept", &kept, func(k *int) []state.Field { return []state.Field{state.Named("runs", k)} }, nil)
	p.Kept = kept
	c.Do(
		state.Named("V", p.V), state.Named("least V", p.VLow), state.Named("largest V", p.VHigh),
		state.Named("W", p.W), state.Named("least W", p.WLow), state.Named("largest W", p.WHigh), state.Factor("map", p.Map),
	)
}
