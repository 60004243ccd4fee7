package options

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

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

func (count) kind() string { return "whole number" }

// String returns the number, "" for the default.
func (c count) String() string {
	if c.to == nil || *c.to == 0 {
		return ""
	}
	return strconv.Itoa(*c.to)
}

// several is an integer of at least 2.
type several struct{ count }

// Set implements flag.Value.
func (x several) Set(s string) error {
	var n int
	if err := (count{&n}).Set(s); err != nil || n < 2 {
		return errors.New("choose a whole number, 2 or more")
	}
	*x.to = n
	return nil
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

func (number) kind() string { return "number" }

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
func wordOf[W ~string](of lnmu.Description, name string, to *W) word[W] {
	return word[W]{to, of.Words[name]}
}

// Set implements flag.Value.
func (w word[W]) Set(s string) error {
	if !slices.Contains(w.set, s) {
		return fmt.Errorf("choose %s", strings.Join(w.set, " or "))
	}
	*w.to = W(s)
	return nil
}

func (word[W]) kind() string { return "word" }

// String returns the word, "" for the default.
func (w word[W]) String() string {
	if w.to == nil {
		return ""
	}
	return string(*w.to)
}

// choices returns all words of the set.
func (w word[W]) choices() []string { return slices.Clone(w.set) }

// sign is a word that names a sign, or the sign itself.
type sign struct {
	word[string]
	signs string // of the words, in their order
}

// Set implements flag.Value.
func (x sign) Set(s string) error {
	if text := strings.ReplaceAll(s, `\t`, "\t"); len(text) == 1 && strings.Contains(x.signs, text) {
		s = x.set[strings.Index(x.signs, text)]
	}
	return x.word.Set(s)
}

// absent is what is done about missing entries, whose word error is the default.
type absent struct{ word[string] }

// Set implements flag.Value.
func (x absent) Set(s string) error {
	err := x.word.Set(s)
	if *x.to == "error" {
		*x.to = ""
	}
	return err
}

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

func (shape) kind() string { return "size" }

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

func (side) kind() string { return "word" }

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

// threads is a number of threads.
type threads struct{ to *int }

// Set implements flag.Value.
func (x threads) Set(s string) error {
	var n int
	if err := (count{&n}).Set(s); err != nil || n > lnmu.MaxThreads {
		return fmt.Errorf("choose 1 to %d", lnmu.MaxThreads)
	}
	*x.to = n
	return nil
}

func (threads) kind() string { return "whole number" }

// String returns the number, "" for the default.
func (x threads) String() string { return count(x).String() }

// whole is an integer of at least 0.
type whole struct{ to *uint64 }

// Set implements flag.Value.
func (x whole) Set(s string) error {
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		return errors.New("choose a whole number, 0 or more")
	}
	*x.to = n
	return nil
}

func (whole) kind() string { return "whole number" }

// String returns the number, "" for 0.
func (x whole) String() string {
	if x.to == nil || *x.to == 0 {
		return ""
	}
	return strconv.FormatUint(*x.to, 10)
}

// amount is a finite number of at least 0.
type amount struct{ to *float64 }

// Set implements flag.Value.
func (x amount) Set(s string) error {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return errors.New("choose a number, 0 or more")
	}
	*x.to = v
	return nil
}

func (amount) kind() string { return "number" }

// String returns the number, "" for 0.
func (x amount) String() string { return number{to: x.to}.String() }

// seconds is a time of at least 0 seconds.
type seconds struct{ to *time.Duration }

// Set implements flag.Value.
func (x seconds) Set(s string) error {
	const most = 1e9
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v <= most) {
		return fmt.Errorf("choose a number of seconds from 0 to %v", most)
	}
	*x.to = time.Duration(v * float64(time.Second))
	return nil
}

func (seconds) kind() string { return "seconds" }

// String returns the number of seconds, "" for 0.
func (x seconds) String() string {
	if x.to == nil || *x.to == 0 {
		return ""
	}
	return fmt.Sprint(x.to.Seconds())
}

// flagged is true or false.
type flagged struct{ to *bool }

// Set implements flag.Value.
func (x flagged) Set(s string) error {
	if s != "true" && s != "false" {
		return errors.New("choose true or false")
	}
	*x.to = s == "true"
	return nil
}

func (flagged) kind() string { return "yes or no" }

// String returns "true", or "" for false.
func (x flagged) String() string {
	if x.to == nil || !*x.to {
		return ""
	}
	return "true"
}

// text is a text that is not empty, of the kind that it names.
type text struct {
	to   *string
	name string
}

// Set implements flag.Value.
func (x text) Set(s string) error {
	if s == "" {
		return errors.New("choose a " + x.name)
	}
	*x.to = s
	return nil
}

func (x text) kind() string { return x.name }

// String returns the text.
func (x text) String() string {
	if x.to == nil {
		return ""
	}
	return *x.to
}
