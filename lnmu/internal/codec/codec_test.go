package codec

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/internal/together"
	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/state"
)

// values are fields of every kind.
type values struct {
	count  int
	seed   uint64
	ratio  float64
	small  float32
	yes    bool
	name   string
	list   []float64
	note   []byte
	rng    *rand.PCG
	row    []float64
	row32  []float32
	x      kernel.Matrix[float64]
	x32    kernel.Matrix[float32]
	shared group.Distributed[float64]
	stream partStream
	parts  []part
}

type part struct{ rank int }

func (p *part) fields() []state.Field { return []state.Field{state.Named("rank", &p.rank)} }

func each(x []float64, do func(x []float64)) {
	for part := range slices.Chunk(x, 2) {
		do(part)
	}
}

func newValues(full bool) *values {
	v := &values{rng: rand.NewPCG(0, 0), row: make([]float64, 3), row32: make([]float32, 2), stream: partStream{whole: 5, x: make([]float64, 5)}}
	v.x, v.x32 = kernel.NewMatrix[float64](2, 3), kernel.NewMatrix[float32](3, 2)
	v.shared = group.Distributed[float64]{X: kernel.NewMatrix[float64](2, 4), Columns: true, Whole: 4}
	if full {
		v.count, v.seed, v.ratio, v.small, v.yes, v.name = -7, math.MaxUint64, 0.1, 0.25, true, "a name"
		v.list, v.note, v.rng = []float64{1, math.Inf(1)}, []byte{0, 255}, rand.NewPCG(3, 4)
		v.parts = []part{{1}, {2}}
		for _, x := range [][]float64{v.row, v.x.Row(0), v.x.Row(1), v.shared.X.Row(0), v.shared.X.Row(1), v.stream.x} {
			for i := range x {
				x[i] = rand.Float64()
			}
		}
		v.row32[1], v.x32.Row(2)[1] = 5, 6
	}
	return v
}

func (v *values) code(c Coder) {
	c.Do(state.Named("count", &v.count), state.Named("seed", &v.seed), state.Named("ratio", &v.ratio), state.Named("small", &v.small), state.Named("yes", &v.yes),
		state.Named("name", &v.name), state.Named("list", &v.list), state.Named("note", &v.note), state.Named("rng", v.rng), state.Named("row", v.row), state.Named("row32", v.row32),
		state.Named("x", v.x), state.Named("x32", v.x32), state.Named("shared", v.shared), state.Named("stream", v.stream))
	List(c, "parts", &v.parts, (*part).fields, nil)
}

func encode(t *testing.T, v *values) []byte {
	t.Helper()
	var b bytes.Buffer
	e := NewEncoder(&b, group.Self{}, nil)
	e.Write([]byte("magic 2\n"))
	if v.code(e); e.Err() != nil {
		t.Fatal(e.Err())
	}
	e.Seal()
	return b.Bytes()
}

func decode(b []byte) (*values, error) {
	v := newValues(false)
	d := NewDecoder(bytes.NewReader(b))
	d.Magic("magic 2\n")
	v.code(d)
	d.Sealed()
	return v, d.Err()
}

// TestRoundTrip: what a decoder reads is what the encoder was given, of every kind.
func TestRoundTrip(t *testing.T) {
	text := encode(t, newValues(true))
	v := must.Get(decode(text))(t)
	if again := encode(t, v); !bytes.Equal(again, text) {
		t.Errorf("a state that was read is written as\n%q, it was\n%q", again, text)
	}
}

// TestDamaged: a state of which a byte differs, or that is cut short, is refused with
// ErrDamaged, and so is one whose checksum fits but whose numbers are not finite.
func TestDamaged(t *testing.T) {
	text := encode(t, newValues(true))
	for i := range text {
		bad := slices.Clone(text)
		bad[i] ^= 1 << (i % 8)
		if _, err := decode(bad); !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d of %d: %v", i, len(text), err)
		}
		if _, err := decode(text[:i]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut at %d of %d: %v", i, len(text), err)
		}
	}
	v := newValues(true)
	v.ratio = math.NaN()
	e := NewEncoder(new(bytes.Buffer), group.Self{}, nil)
	if v.code(e); e.Err() == nil {
		t.Error("a number that is not finite was written")
	}
	infinite, row := math.Inf(1), []float64{-1}
	x := kernel.Matrix[float64]{Rows: 1, Cols: 1, Data: row, Stride: 1}
	for _, c := range [][2]state.Field{
		{state.Divergence(&infinite), state.Named("divergence", &infinite)}, {state.Named("V", row), state.Factor("V", row)},
		{state.Named("V", x), state.Factor("V", x)},
		{state.Named("V", group.Distributed[float64]{X: x, Whole: 1}), state.Factor("V", group.Distributed[float64]{X: x, Whole: 1})},
	} {
		var b bytes.Buffer
		NewPlainEncoder(&b, false).Do(c[0])
		d := NewPlainDecoder(b.Bytes(), false)
		if d.Do(c[1]); !errors.Is(d.Err(), ErrDamaged) {
			t.Errorf("%T: a number that is not finite, or not that of a factor, was read: %v", c[0].At, d.Err())
		}
	}
}

// TestCancelled: an encoder ends with an error when the work is over.
func TestCancelled(t *testing.T) {
	e := NewEncoder(new(bytes.Buffer), group.Self{}, func() bool { return true })
	if newValues(true).code(e); e.Err() == nil {
		t.Error("a state was written although the work is over")
	}
}

// TestMagic: a state of another version is refused with both versions and what to do, what
// is no state with what it begins with, each in one line.
func TestMagic(t *testing.T) {
	text := encode(t, newValues(true))
	for head, says := range map[string]string{
		"magic 1\n": "its format has version 1, and this program reads version 2: go on with the program that saved it, or begin the run anew",
		"magic 3\n": "its format has version 3, and this program reads version 2: go on with the program that saved it, or begin the run anew",
		"magic x\n": `it begins with "magic x\n" instead of "magic 2\n"`,
		"other 1\n": `it begins with "other 1\n" instead of "magic 2\n"`,
	} {
		_, err := decode(append([]byte(head), text[len(head):]...))
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", head, err)
		}
	}
}

// partStream is the part of a process of numbers in a file.
type partStream struct {
	first, whole int
	x            []float64
	err          error
}

func (s partStream) Span() (first, n, whole int) { return s.first, len(s.x), s.whole }
func (s partStream) Err() error                  { return s.err }
func (s partStream) Turns() int                  { return 1 }

func (s partStream) Write(_ int, do func(x []float64)) { each(s.x, do) }

func (s partStream) Read(_ int, do func(x []float64)) {
	if s.err == nil {
		each(s.x, do)
	}
}

// TestStreams: numbers that are in the files of several processes are written as those of
// one, and each reads its own. An error of one of them ends the writing.
func TestStreams(t *testing.T) {
	all := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	var want bytes.Buffer
	NewPlainEncoder(&want, false).Do(state.Named("x", partStream{0, len(all), all, nil}))
	cuts := []int{0, 4, 4, 9}
	broken := errors.New("broken")
	for who := -1; who < 3; who++ {
		together.Run(3, func(p *together.Process) {
			own := partStream{cuts[p.Rank()], len(all), all[cuts[p.Rank()]:cuts[p.Rank()+1]], nil}
			if p.Rank() == who {
				own.err = broken
			}
			if p.Rank() > 0 {
				e := NewPartEncoder(p)
				e.Do(state.Named("x", own))
				e.Serve()
			} else {
				var b bytes.Buffer
				e := NewEncoder(&b, p, nil)
				e.Do(state.Named("x", own))
				Finish(p)
				switch err := e.Err(); {
				case who < 0 && (err != nil || !bytes.Equal(b.Bytes(), want.Bytes())):
					t.Errorf("error %v, other bytes", err)
				case who == 0 && !errors.Is(err, broken), who > 0 && !errors.Is(err, group.ErrProcess):
					t.Errorf("error of process %d: %v", who, err)
				}
			}
			got := own
			got.x = make([]float64, len(own.x))
			d := NewPlainDecoder(want.Bytes(), false)
			if d.Do(state.Named("x", got)); !slices.Equal(got.x, own.x) || !errors.Is(d.Err(), own.err) {
				t.Errorf("process %d reads %v, %v", p.Rank(), got.x, d.Err())
			}
		})
	}
}
