package options

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"nmu/internal/combination"
	"nmu/internal/memory"
)

// value is the value of an option. Its default is the zero value.
type value[T comparable] struct {
	to    *T
	name  string // of its kind
	parse func(s string) (T, error)
	print func(x T) string
	words []string // if it takes these alone
}

// Set implements flag.Value. It refuses an empty text.
func (v value[T]) Set(s string) error {
	x, err := v.parse(s)
	if err == nil {
		*v.to = x
	}
	return err
}

// String returns the value as Set takes it, "" for the default.
func (v value[T]) String() string {
	var none T
	if v.to == nil || *v.to == none {
		return ""
	}
	return v.print(*v.to)
}

func (v value[T]) Kind() string { return v.name }

func (v value[T]) Choices() []string { return slices.Clone(v.words) }

// integer is an integer from least to most. The error says what to choose.
func integer(to *int, least, most int, says string) value[int] {
	return value[int]{to, "whole number", func(s string) (int, error) {
		n, err := strconv.ParseInt(s, 0, 0)
		if errors.Is(err, strconv.ErrRange) && n > 0 {
			return 0, errors.New("choose a smaller number")
		}
		if err != nil || int(n) < least || int(n) > most {
			return 0, errors.New(says)
		}
		return int(n), nil
	}, strconv.Itoa, nil}
}

// count is an integer of at least 1.
func count(to *int) value[int] {
	return integer(to, 1, math.MaxInt, "choose a whole number, 1 or more")
}

// several is an integer of at least 2.
func several(to *int) value[int] {
	return integer(to, 2, math.MaxInt, "choose a whole number, 2 or more")
}

// threads is a number of threads.
func threads(to *int) value[int] {
	return integer(to, 1, combination.MaxThreads, fmt.Sprintf("choose 1 to %d", combination.MaxThreads))
}

// whole is an integer of at least 0.
func whole(to *uint64) value[uint64] {
	return value[uint64]{to, "whole number", func(s string) (uint64, error) {
		n, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			err = errors.New("choose a whole number, 0 or more")
		}
		return n, err
	}, func(n uint64) string { return strconv.FormatUint(n, 10) }, nil}
}

// finite is a finite number. The error says what to choose, unless good is true.
func finite(to *float64, good func(x float64) bool, says string) value[float64] {
	return value[float64]{to, "number", func(s string) (float64, error) {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !good(x) || math.IsInf(x, 0) {
			return 0, errors.New(says)
		}
		return x, nil
	}, func(x float64) string { return fmt.Sprint(x) }, nil}
}

// number is a positive number of at most most.
func number(to *float64, most float64) value[float64] {
	says := "choose a positive number"
	if !math.IsInf(most, 1) {
		says = fmt.Sprintf("choose a number > 0, at most %v", most)
	}
	return finite(to, func(x float64) bool { return x > 0 && x <= most }, says)
}

// amount is a finite number of at least 0.
func amount(to *float64) value[float64] {
	return finite(to, func(x float64) bool { return x >= 0 }, "choose a number, 0 or more")
}

// seconds is a time of at least 0 seconds.
func seconds(to *time.Duration) value[time.Duration] {
	return value[time.Duration]{to, "seconds", func(s string) (time.Duration, error) {
		const most = 1e9
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x >= 0 && x <= most) {
			return 0, fmt.Errorf("choose a number of seconds from 0 to %v", most)
		}
		return time.Duration(x * float64(time.Second)), nil
	}, func(d time.Duration) string { return fmt.Sprint(d.Seconds()) }, nil}
}

// flagged is true or false.
func flagged(to *bool) value[bool] {
	return value[bool]{to, "yes or no", func(s string) (bool, error) {
		if s != "true" && s != "false" {
			return false, errors.New("choose true or false")
		}
		return s == "true", nil
	}, strconv.FormatBool, nil}
}

// bytes is a size in bytes of at least 1, also with a unit, such as 2GB.
func bytes(to *int64) value[int64] {
	return value[int64]{to, "bytes", func(s string) (int64, error) {
		n, err := memory.Parse(s)
		if err != nil {
			err = errors.New("choose a number of bytes, 1 or more, or a size such as 512MB, 2GiB or 1.5G")
		}
		return n, err
	}, func(n int64) string { return strconv.FormatInt(n, 10) }, nil}
}

// Word returns the one of the words that s is, in letters of any case. The error says what to choose.
func Word[W ~string](words []W, s string) (W, error) {
	for _, w := range words {
		if strings.EqualFold(string(w), s) {
			return w, nil
		}
	}
	all := texts(words)
	near := Nearest(all, s)
	if near != "" {
		near = " (did you mean " + near + "?)"
	}
	return "", fmt.Errorf("choose %s%s", strings.Join(all, " or "), near)
}

// word is one of a set of words.
func word[W ~string](to *W, words []string) value[W] {
	return value[W]{to, "word", func(s string) (W, error) {
		w, err := Word(words, s)
		return W(w), err
	}, func(w W) string { return string(w) }, words}
}

// wordList is a list of words, separated by commas.
type wordList struct {
	to    *[]string
	words []string
}

// Set implements flag.Value.
func (l wordList) Set(s string) error {
	var list []string
	for part := range strings.SplitSeq(s, ",") {
		w, err := Word(l.words, part)
		if err != nil {
			return err
		}
		list = append(list, w)
	}
	*l.to = list
	return nil
}

// String returns the words as Set takes them.
func (l wordList) String() string { return strings.Join(*l.to, ",") }

func (wordList) Kind() string { return names }

func (l wordList) Choices() []string { return l.words }

// start is one of a set of words, or a folder; a folder of that very name comes before a word in other letters.
func start(to *string, words []string) value[string] {
	v := text(to, folder)
	v.words = words
	v.parse = func(s string) (string, error) {
		w, err := Word(words, s)
		_, none := os.Stat(s)
		if err == nil && (w == s || none != nil) {
			return w, nil
		}
		if s == "" || none != nil && Nearest(words, s) != "" {
			return "", fmt.Errorf("%w, or a folder that is there", err)
		}
		return s, nil
	}
	return v
}

// wordOf returns the value for field name of a method, with its words.
func wordOf[W ~string](of Description, name string, to *W) value[W] {
	return word(to, of.Words[name])
}

// sign is a word that names a sign, or the sign itself; signs are those of the words, in their order.
func sign(to *string, words []string, signs string) value[string] {
	v := word(to, words)
	parse := v.parse
	v.parse = func(s string) (string, error) {
		if text := strings.ReplaceAll(s, `\t`, "\t"); len(text) == 1 && strings.Contains(signs, text) {
			s = words[strings.Index(signs, text)]
		}
		return parse(s)
	}
	return v
}

// unlessFirst is one of a set of words, of which the first is the default.
func unlessFirst(to *string, words []string) value[string] {
	v := word(to, words)
	parse := v.parse
	v.parse = func(s string) (string, error) {
		w, err := parse(s)
		if w == words[0] {
			w = ""
		}
		return w, err
	}
	return v
}

// numbers is a list of finite numbers, separated by commas.
func numbers(to *string) value[string] {
	return value[string]{to, "list of numbers", func(s string) (string, error) {
		for number := range strings.SplitSeq(s, ",") {
			if x, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err != nil || x-x != 0 {
				return "", errors.New("choose finite numbers, such as -999 or -99,-9; NaN is missing where the setting missing is allow")
			}
		}
		return strings.ReplaceAll(s, " ", ""), nil
	}, func(s string) string { return s }, nil}
}

// shape is the height and width of a picture.
func shape(to *[2]int) value[[2]int] {
	return value[[2]int]{to, "size", func(s string) (size [2]int, err error) {
		h, w, ok := strings.Cut(strings.ToLower(s), "x")
		var wrong error
		size[0], err = strconv.Atoi(h)
		size[1], wrong = strconv.Atoi(w)
		if !ok || err != nil || wrong != nil || size[0] < 1 || size[1] < 1 {
			return size, errors.New("choose height x width in pixels, such as 19x19")
		}
		return size, nil
	}, Size, nil}
}

// Size returns a height and width as HEIGHTxWIDTH.
func Size(size [2]int) string { return fmt.Sprintf("%dx%d", size[0], size[1]) }

// text is a text that is not empty, of the kind that it names.
func text(to *string, name string) value[string] {
	return value[string]{to, name, func(s string) (string, error) {
		if s == "" {
			return "", errors.New("choose a " + name)
		}
		return s, nil
	}, func(s string) string { return s }, nil}
}

// side is one of the two factors, v or w.
type side struct{ v, w *bool }

// Set implements flag.Value.
func (s side) Set(text string) error {
	w, err := Word(s.Choices(), text)
	if err == nil {
		*s.v, *s.w = w == "v", w == "w"
	}
	return err
}

func (side) Kind() string { return "word" }

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
func (side) Choices() []string { return []string{"v", "w"} }
