package matio

import (
	"fmt"

	"nmu/internal/matio/internal/input"
)

// Tally counts the numbers of a matrix that may stand for something else.
type Tally = input.Tally

// Negative says what negative entries are.
type Negative = input.Negative

// The values of Negative except "".
const (
	NegativeClip    = input.NegativeClip
	NegativeMissing = input.NegativeMissing
)

// Each calls do for the elements of a dense matrix, or the stored entries of a sparse one, piece after piece. The
// elements have the order of Elements.
func (f *File) Each(do func(x []float64) error) error {
	switch {
	case f.memory != nil:
		return f.memory(do)
	case f.in.Sparse != nil:
		one := make([]float64, 1)
		return Entries(f, func(_, _ int32, x float64) error { one[0] = x; return do(one) })
	}
	s, err := f.Elements()
	if err != nil {
		return err
	}
	const piece = 1 << 14
	buf := make([]float64, piece)
	for left := int64(f.in.Rows) * int64(f.in.Cols); left > 0; left -= int64(len(buf)) {
		buf = buf[:min(left, piece)]
		if err = s.Next(buf); err == nil {
			err = do(buf)
		}
		if err != nil {
			s.Close()
			return err
		}
	}
	return s.Close()
}

// Tally counts the numbers of f that t asks for. It reads the matrix once.
func (f *File) Tally(t *Tally) error {
	return f.Each(func(x []float64) error {
		for _, y := range x {
			t.Add(y)
		}
		return nil
	})
}

// Replace replaces numbers in memory, those of f, by what they stand for, and notes how many there are.
func Replace[T Float](f *File, x []T) error {
	err := f.Tally(f.in.Tally)
	input.Replace(&f.in.Meaning, x)
	f.noteNumbers()
	return err
}

// count notes how many numbers stand for something else, by Options. It reads the matrix once more.
func (f *File) count() error {
	if len(f.opt.Codes) == 0 && f.opt.Negative == "" || f.in.Sparse != nil && f.in.Spill != nil {
		return nil // entries that can be read once are counted then
	}
	is := f.in.Meaning
	f.in.Meaning = input.Meaning{}
	err := f.Tally(f.in.Tally)
	f.in.Meaning = is
	f.noteNumbers()
	return err
}

// noteNumbers notes how many numbers stand for something else, once.
func (f *File) noteNumbers() {
	t := f.in.Tally
	if t == nil {
		return
	}
	f.in.Tally = nil
	for k, code := range t.Codes {
		if n := t.Of(k); n > 0 {
			f.Note("%s missing", input.Counted(int(n), fmt.Sprintf("entry is %v and", code), fmt.Sprintf("entries are %v and", code)))
		} else if !f.opt.further {
			f.Note("no entry is %v", code)
		}
	}
	if what := map[Negative]string{NegativeClip: "set to 0", NegativeMissing: "missing"}[f.opt.Negative]; what != "" && t.Negative > 0 {
		f.Note("%s negative and %s: the least is %.4g, the largest of all %.4g", input.Counted(int(t.Negative), "entry is", "entries are"), what, t.Least, t.Largest)
	} else if what != "" {
		f.Note("no entry is negative")
	}
}
