package options

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"nmu/lnmu"
)

// Kinds of option values. Set refuses an empty text, which String returns for the default.

// count is an integer of at least 1.
type count struct{ to *int }

// Set implements flag.Value.
func (c count) Set(s string) error {
	n, err := strconv.ParseInt(s, 0, 0)
	if err != nil || n < 1 {
		return errors.New("choose a whole number, 1 or more")
	}
	*c.to = int(n)
	return nil
}

// String returns the number, "" for the default.
func (c count) String() string {
	if c.to == nil || *c.to == 0 {
		return ""
	}
	return strconv.Itoa(*c.to)
}

// number is a positive number of at most most.
type number struct {
	to   *float64
	most float64
}

// Set implements flag.Value.
func (x number) Set(s string) error {
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case err == nil && v > 0 && v <= x.most && !math.IsInf(v, 0):
		*x.to = v
		return nil
	case math.IsInf(x.most, 1):
		return errors.New("choose a positive number")
	}
	return fmt.Errorf("choose a number > 0, at most %v", x.most)
}

// String returns the number, "" for the default.
func (x number) String() string {
	if x.to == nil || *x.to == 0 {
		return ""
	}
	return fmt.Sprint(*x.to)
}

// word is one of a set of words.
type word[W ~string] struct {
	to  *W
	set []string
}

// wordOf returns the value for field name of a method, with its words.
func wordOf[W ~string](m lnmu.Method, name string, to *W) word[W] {
	return word[W]{to, m.Describe().Words[name]}
}

// Set implements flag.Value.
func (w word[W]) Set(s string) error {
	if !slices.Contains(w.set, s) {
		return fmt.Errorf("choose %s", strings.Join(w.set, " or "))
	}
	*w.to = W(s)
	return nil
}

// String returns the word, "" for the default.
func (w word[W]) String() string {
	if w.to == nil {
		return ""
	}
	return string(*w.to)
}

// choices returns all words of the set.
func (w word[W]) choices() []string { return slices.Clone(w.set) }

// shape is the size of a picture.
type shape struct{ to *lnmu.Shape }

// Set implements flag.Value.
func (x shape) Set(s string) error {
	h, w, ok := strings.Cut(strings.ToLower(s), "x")
	height, herr := strconv.Atoi(h)
	width, werr := strconv.Atoi(w)
	if !ok || herr != nil || werr != nil || height < 1 || width < 1 {
		return errors.New("choose height x width in pixels, such as 19x19")
	}
	*x.to = lnmu.Shape{Height: height, Width: width}
	return nil
}

// String returns the size, "" where there is none.
func (x shape) String() string {
	if x.to == nil || *x.to == (lnmu.Shape{}) {
		return ""
	}
	return x.to.String()
}

// side is one of the two factors, v or w.
type side struct{ v, w *bool }

// Set implements flag.Value.
func (s side) Set(text string) error {
	if !slices.Contains(s.choices(), text) {
		return fmt.Errorf("choose %s", strings.Join(s.choices(), " or "))
	}
	*s.v, *s.w = text == "v", text == "w"
	return nil
}

// String returns the factor, "" for none.
func (s side) String() string {
	switch {
	case s.v != nil && *s.v:
		return "v"
	case s.w != nil && *s.w:
		return "w"
	}
	return ""
}

// choices returns both factors.
func (side) choices() []string { return []string{"v", "w"} }
