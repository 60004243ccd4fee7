package lnmu

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/method"
	"nmu/lnmu/internal/run"
)

// Method is an algorithm with its own options: NMF, SNMF, Hoyer, GNMU or RNMU. The
// zero value of an option stands for the paper's choice.
//
// A method is added by a file that implements Method, by its line in Methods, and by
// the function in worker.factorize that runs it. Everything that other packages say of
// methods comes from their descriptions.
type Method interface {
	// Describe returns what is known of the method whatever its options.
	Describe() Description

	// prepare fills in the defaults of the options for factors of the given rank, and
	// says what the method needs. The error, which wraps ErrOption, names the first
	// bad option.
	prepare(rank int) (resolved, error)
}

// Description is what is known of a method.
type Description struct {
	Name       string // short, in lower case, as on the command line
	Title      string // what it is, in a line
	Problem    string // what it solves
	Factors    string // what its factors are like
	Iterations int    // of each block, unless Settings.Iterations says otherwise (section 4.3)

	Underapproximates bool // V W <= M: it keeps multipliers
	Recursive         bool // it finds block after block of factors, so that the first are those of a smaller rank
	Fixes             bool // it takes Settings.Fixed
	Sparse            bool // it is for a CSR and a StoredCSR too
	Partial           bool // it takes missing entries and weights
	Distributed       bool // it takes Settings.Processes

	// Options returns the options of the method on a command line, with the values of
	// the method that was described: what they set is the method that comes with them,
	// a copy, which is then used as it is.
	Options func() (Method, []Option)
}

// Option is an option of a method, for a command line.
type Option struct {
	Name  string // of the flag
	Usage string // with the name of the value in back quotes
	Value flag.Value
}

// Choices returns the words that the option can be set to, nil where it takes other
// values, such as numbers.
func (o Option) Choices() []string {
	if w, ok := o.Value.(interface{ choices() []string }); ok {
		return w.choices()
	}
	return nil
}

// Methods returns the descriptions of all methods, in the order of the paper.
func Methods() []Description {
	return []Description{NMF{}.Describe(), GNMU{}.Describe(), RNMU{}.Describe(), SNMF{}.Describe(), Hoyer{}.Describe()}
}

// Describe returns the description of the method of that name.
func Describe(name string) (Description, error) {
	for _, d := range Methods() {
		if d.Name == name {
			return d, nil
		}
	}
	return Description{}, core.Bad("unknown method %q; choose %s", name, names(func(Description) bool { return true }))
}

// names returns the names of the methods of which ok is true, for messages: a, b or c.
func names(ok func(d Description) bool) string {
	var s []string
	for _, d := range Methods() {
		if ok(d) {
			s = append(s, d.Name)
		}
	}
	if last := len(s) - 1; last > 0 {
		return strings.Join(s[:last], ", ") + " or " + s[last]
	}
	return strings.Join(s, "")
}

// resolved is what a method needs of the places where it runs.
type resolved struct {
	method    Method // with its defaults
	block     int    // factors that are found together
	lagrange  *Lagrangian
	most      int // iterations by default, if not those of the description
	norm      Norm
	priors    Priors
	penalised bool // passes with penalties also for one factor
	acceleration

	// solve finds the factors of a problem from its start.
	solve func(l *method.Loop, p core.Problem) method.Trace
}

// plan is what a storage has to know of the method, for factors of that rank.
func (p resolved) plan(s Settings, rank int, supports bool) core.Plan {
	d := p.method.Describe()
	return core.Plan{
		Rank: rank, Block: p.block,
		Underapproximates: d.Underapproximates, Recursive: d.Recursive,
		Augmented: p.lagrange.Solver == SolverADMM, Accelerated: p.on, General: p.penalised, L1: p.norm == L1,
		Sweeps: p.lagrange.Sweeps, StepsPerUpdate: p.lagrange.StepsPerUpdate,
		SVD: s.Init == InitSVD, Nested: s.Init == InitNested, Supports: supports,
	}
}

// run is what a run has to know of the method.
func (p resolved) run(s Settings, rank int, supports bool) run.Method {
	return run.Method{
		Plan: p.plan(s, rank, supports), Solve: p.solve,
		ExactSteps: p.lagrange.ExactSteps, InTheEnd: p.lagrange.Feasible == FeasibleFinal,
	}
}

// The kinds of values of options. An empty value cannot be set, as it would stand
// for the default.

// count is a whole number of at least 1.
type count struct{ to *int }

func (c count) Set(s string) error {
	n, err := strconv.ParseInt(s, 0, 0)
	if err != nil || n < 1 {
		return errors.New("choose a whole number, 1 or more")
	}
	*c.to = int(n)
	return nil
}

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

func (x number) String() string {
	if x.to == nil || *x.to == 0 {
		return ""
	}
	return fmt.Sprint(*x.to)
}

// word is one of some words.
type word[W ~string] struct {
	to  *W
	set []W
}

func (w word[W]) Set(s string) error {
	for _, x := range w.set {
		if string(x) == s {
			*w.to = x
			return nil
		}
	}
	return fmt.Errorf("choose %s", either(w.set))
}

func (w word[W]) choices() []string { return texts(w.set) }

func (w word[W]) String() string {
	if w.to == nil {
		return ""
	}
	return string(*w.to)
}

// either lists words in a message.
func either[W ~string](set []W) string { return strings.Join(texts(set), " or ") }

// texts returns words as text.
func texts[W ~string](set []W) []string {
	var s []string
	for _, x := range set {
		s = append(s, string(x))
	}
	return s
}

// known returns an error unless x is one of the words.
func known[W ~string](what string, x W, set []W) error {
	if (word[W]{new(W), set}).Set(string(x)) != nil {
		return core.Bad("unknown %s %q; choose %s", what, x, either(set))
	}
	return nil
}

// atLeast checks whole numbers that may not be negative, and fills in defaults.
func atLeast(options []wholeNumber) error {
	for _, x := range options {
		if *x.value < 0 {
			return core.Bad("%s %d is negative", x.name, *x.value)
		}
		if *x.value == 0 {
			*x.value = x.byDefault
		}
	}
	return nil
}

// wholeNumber is an option for atLeast.
type wholeNumber struct {
	name      string
	value     *int
	byDefault int
}

// fraction is an option that is 0, for none, or positive and at most most.
type fraction struct {
	name  string
	value float64
	most  float64
}

func (x fraction) check() error {
	if x.value == 0 {
		return nil
	}
	if (number{new(float64), x.most}).Set(fmt.Sprint(x.value)) != nil {
		if math.IsInf(x.most, 1) {
			return core.Bad("%s %v; choose a positive finite number", x.name, x.value)
		}
		return core.Bad("%s %v; choose a number from 0 to %v", x.name, x.value, x.most)
	}
	return nil
}
