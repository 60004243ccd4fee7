package options

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"nmu/lnmu"
	"nmu/lnmu/compare"
)

// Run holds what settings say of a call of the engine, and what flags say of a command.
type Run struct {
	lnmu.Settings
	Command

	Input, Variable, Format string // the file of M, the variable in it, and its type
	Transpose, Dense, Grey  bool   // how the file is read
	Separator, Decimal      string // of a table, as words
	Header, Labels          string // whether a table has them: yes, no, or "" if it shows that itself
	SkipColumns             string // of a table, separated by commas
	MissingText             string // texts of cells without a number in a table, separated by commas
	Below                   string // what cells below a limit of detection are: a word, or ""
	Align                   string // what becomes of curves in a folder whose axes differ: a word, or ""
	Triples                 bool   // a table lists the entries of a sparse matrix
	RowNames, ColNames      string // files of names
	MaxMemory               int64  // bytes; 0 for the free memory

	Missing       string // MissingAllow: NaN in M are missing entries; others are for the cells of a table; "" is an error
	MissingValue  string // numbers that stand for missing entries of M, separated by commas
	Negative      string // what negative entries of M are: a word, or "" for an error
	StoredOnly    bool   // what a sparse M does not store is missing
	Mask, Weights string // files
	Uncertainties string // a file of standard deviations s: the weights are 1/s²
	SkipRows      string // a file that lists rows to leave out, or marks them
	SkipCols      string // likewise for columns
	FixV, FixW    string // files
	Continue      bool   // V and W begin with the factors of a finished run

	Save, Resume string // files of states
	Every        time.Duration

	Transform lnmu.TransformSettings
	Ranks     string // see ParseRanks
	Folds     int
	Consensus bool   // keep consensus matrices
	Runs      int    // for each rank, to compare
	Resample  string // in what these differ beside their starts; "" for nothing
	Level     float64
	Starts    int // of a search for a biclique
}

// The types of values that are files, matrices that may be files, and names.
const (
	file        = "file"
	folder      = "folder"
	matrix      = "matrix"
	names       = "list of names"
	listOfRanks = "list of ranks"
)

// InitGiven is the Init of a start that the caller gives in V and W.
const InitGiven lnmu.Choice = "given"

// MissingAllow is the word of the setting missing for a matrix in which NaN are missing entries.
const MissingAllow = "allow"

// The calls that settings are for, as bits.
const (
	Factor Call = 1 << iota
	Improve
	Transform
	Rank
	Biclique
	Consensus
	Inspect
)

// Call is a set of calls of the engine.
type Call int

// calls are the names of the calls, in the order of their bits.
var calls = []string{"factor", "improve", "transform", "rank", "biclique", "consensus", "inspect"}

// Names returns the names of the calls in the set.
func (c Call) Names() []string {
	var names []string
	for i, name := range calls {
		if c>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Setting is a setting of a call.
type Setting struct {
	Option
	Calls   Call
	Unit    string                 // of the value; "" if it has none
	Default string                 // "" if the usage says it, or there is none
	Flag    bool                   // of the commands of the calls, by the same name
	Takes   func(Description) bool // says which methods take it; nil: all
}

// Reads reports whether the setting says how M is read.
func (s Setting) Reads() bool { return s.Calls&Convert != 0 }

// Methods returns the names of the methods that take the setting, or nil if all do.
func (s Setting) Methods() []string {
	if s.Takes == nil {
		return nil
	}
	var names []string
	for _, d := range Methods() {
		if s.Takes(d) {
			names = append(names, d.Name)
		}
	}
	return names
}

// Help is the usage with the methods that take the setting, and its default.
func (s Setting) Help() string {
	usage := s.Usage
	if takers := s.Methods(); takers != nil {
		usage = strings.Join(takers, ", ") + ": " + usage
	}
	if s.Default != "" && !strings.Contains(usage, "(default") {
		usage += " (default " + s.Default + ")"
	}
	return usage
}

// Settings returns the settings of all calls, which set r. The usages are those of the command.
func Settings(r *Run) []Setting {
	const reads = Factor | Improve | Transform | Rank | Biclique | Consensus
	const opens = reads | Inspect | Report // a file
	const content = opens | Convert
	const anyFile = content | Beside
	const runs = Factor | Improve | Rank | Consensus
	const compares = Rank | Consensus
	const saves = Factor | compares
	t := &r.Transform
	random := "random (the default), nested (random, each factor by itself, see --continue), svd (first singular vectors), snpa or spa (pure columns of M, by successive nonnegative projection, or by successive projection), or given: V and W hold the start"
	fixes := func(d Description) bool { return d.Fixes() }
	resting := Setting{Takes: func(d Description) bool { return d.Rests }}.Methods()
	recursive := func(d Description) bool { return d.Recursive }
	return []Setting{
		{Option{"init", "`START`: " + random, word(&r.Init, append(Inits(), string(InitGiven)))}, Factor | Transform, "", "random", true, nil},
		{Option{"init", "`START`: " + strings.TrimSuffix(random, ", or given: V and W hold the start"), word(&r.Init, Inits())}, Rank | Consensus, "", "random", true, nil},
		{Option{"seed", "seed `S` of the random starts", whole(&r.Seed)}, Factor | Rank | Biclique | Consensus, "", "0", true, nil},
		{Option{"iterations", "`K` iterations at most, for " + methodsWith(recursive) + " of each factor or block (default: " + iterations(func(Description) bool { return true }) + "; " + strings.Join(resting, " and ") + " end before if the error is at rest, see tolerance, and make a fifth with penalties)", count(&r.Iterations)}, Factor, "", "", true, nil},
		{Option{"iterations", "`K` iterations of a run, in a recursion of each factor or block (default: until the error is at rest, see tolerance; " + iterations(func(d Description) bool { return d.Underapproximates }) + ")", count(&r.Iterations)}, compares, "", "", true, nil},
		{Option{"iterations", "`K` iterations at most (default 100)", count(&r.Iterations)}, Improve, "", "", false, nil},
		{Option{"iterations", "`K` sweeps at most for a column (default 1000); not with feasible or sum-to-one", count(&r.Iterations)}, Transform, "", "", true, nil},
		{Option{"iterations", "`K` iterations from each start", count(&r.Iterations)}, Biclique, "", "40", true, nil},
		{Option{"restarts", "`N` runs, with seeds S, S+1, ...; the one with the least error is kept (default: 10 from random starts, else 1)", count(&r.Restarts)}, Factor, "", "", true, nil},
		{Option{"full-restarts", "run all restarts to the end; by default they leave after a tenth and three tenths of the usual iterations where others have a smaller error, so that ten cost about what three do, but for gnmu, rnmu, target sparsities, coordinate and weights of a range of 1e5, whose first iterations do not tell", flagged(&r.FullRestarts)}, Factor, "", "", true, nil},
		{Option{"restarts", "`N` runs on all entries for each rank, with seeds S, S+1, ...", count(&r.Restarts)}, Rank, "", "1", true, nil},
		{Option{"restarts", "`N` starts in each run, of which the best counts", count(&r.Restarts)}, Consensus, "", "1", true, nil},
		{Option{"threads", "number `P` of threads; the result does not depend on it (default: all processors)", threads(&r.Threads)}, reads, "", "", true, nil},
		{Option{"tolerance", "stop when the relative error changes by no more than `X` times itself in 10 iterations (default: 1e-5 for " + strings.Join(resting, " and ") + " without penalties and without a number of iterations, else 0, never)", amount(&r.Tolerance)}, runs &^ compares, "", "", true, nil},
		{Option{"tolerance", "end a run when the relative error, or the divergence, changes by no more than `X` times itself in 10 iterations (default: 1e-6, 0 with a number of iterations)", amount(&r.Tolerance)}, compares, "", "", true, nil},
		{Option{"tolerance", "a column is done when its KKT residual is at most `X` (default 1e-6, or 1e-4 for float32 or with divergence); not with feasible or sum-to-one", amount(&r.Tolerance)}, Transform, "", "", true, nil},
		{Option{"check-every", "`N` iterations between two checks of the tolerance", count(&r.CheckEvery)}, runs, "", "10", true, nil},
		{Option{"target-error", "stop when the relative error is at most `E`, a fraction, in steps of 10 iterations, or of 1 with kl and the accelerated solver; a recursion then adds no more factors (default 0, never)", amount(&r.TargetError)}, Factor | Improve, "", "", true, nil},
		{Option{"time-limit", "stop after `D`, and keep the finished results (default none)", seconds(&r.TimeLimit)}, runs, "seconds", "", true, nil},
		{Option{"record", "keep the error at every check, also without a tolerance", flagged(&r.Record)}, Factor | Improve, "", "", false, nil},
		{Option{"overwrite", "destroy M where that saves memory", flagged(&r.Overwrite)}, Factor, "", "", false, nil},
		{Option{"feasible", "guarantee V W <= M in floating point", flagged(&t.Feasible)}, Transform, "", "", true, nil},
		{Option{"sum-to-one", "make the entries of each column of W add up to 1", flagged(&t.SumToOne)}, Transform, "", "", true, nil},
		{Option{"divergence", "minimise the Kullback-Leibler divergence, as the method kl does", flagged(&t.Divergence)}, Transform, "", "", true, nil},

		{Option{"missing", "what NaN in a dense M are: `WAY` error, or allow (missing entries); in a table in a file, empty cells and the like too, and what becomes of these: drop-rows, drop-cols, zero or mean (of their column; default error, or allow with --missing-value, --missing-text, --negative missing and --below missing)", unlessFirst(&r.Missing, []string{"error", MissingAllow, "drop-rows", "drop-cols", "zero", "mean"})}, content&^Biclique | Graph, "", "error", true, nil},
		{Option{"missing-value", "`NUMBERS` that stand for missing entries of M, such as -999,-9", numbers(&r.MissingValue)}, content &^ Biclique, "", "", true, nil},
		{Option{"negative", "what negative entries of M are: `WAY` refuse, clip (they become 0), or missing", unlessFirst(&r.Negative, []string{"refuse", "clip", "missing"})}, content &^ Biclique, "", "refuse", true, nil},
		{Option{"sparse-missing", "unstored entries of a sparse matrix are missing, not zero", flagged(&r.StoredOnly)}, Factor, "", "", true, nil},
		{Option{"mask", "matrix of the shape of M, or `FILE` with it, or for a cube with an image of its size; 0 marks a missing entry or pixel", text(&r.Mask, matrix)}, reads &^ Biclique, "", "", true, nil},
		{Option{"weights", "matrix of the shape of M, or `FILE` with it: the weights, >= 0, of the squares of M - V W; an entry of weight 0 is missing", text(&r.Weights, matrix)}, reads &^ Biclique, "", "", true, nil},
		{Option{"uncertainties", "matrix of the shape of M, or `FILE` with it: the standard deviations s > 0 of the entries; their weights are 1/s²", text(&r.Uncertainties, matrix)}, reads &^ Biclique, "", "", true, nil},
		{Option{"skip-rows", "rows to leave out, which are NaN in V: `FILE` with their names or numbers, one in a line, or a matrix with a number for each row, not 0 to leave it out; the header of an ENVI cube stands for its bad bands (bbl)", text(&r.SkipRows, matrix)}, Factor | Transform | Rank | Consensus, "", "", true, nil},
		{Option{"skip-cols", "columns to leave out, which are NaN in W: `FILE` or matrix as of --skip-rows; for a cube also an image of its size", text(&r.SkipCols, matrix)}, Factor | Transform | Rank | Consensus, "", "", true, nil},
		{Option{"missing-solver", "with missing entries or weights: `WAY` majorize (one more product per step) or exact (fewer steps, which cost much more unless few entries are missing; default: exact for weights that differ by more than a factor of 10 and for gnmu and rnmu with weights, else majorize)", word(&r.MissingSolver, []string{string(lnmu.MissingMajorize), string(lnmu.MissingExact)})}, runs, "", "", true, nil},
		{Option{"fix-v", "fix the first columns of V to those of a matrix, or of `FILE`", text(&r.FixV, matrix)}, Factor, "", "", true, fixes},
		{Option{"fix-w", "fix rows of W to those of a matrix, or of `FILE`, after the factors of --fix-v and --baseline", text(&r.FixW, matrix)}, Factor, "", "", true, fixes},
		{Option{"baseline", "fix a row of ones in W, so that each row of M has an offset; it counts as a factor", flagged(&r.Baseline)}, Factor, "", "", true, fixes},
		{Option{"continue", "add factors to those in V and W, of a run of smaller rank with --init nested and one restart (or --init svd, spa or snpa)", flagged(&r.Continue)}, Factor, "", "", true, recursive},

		{Option{"checkpoint", "write the state of the run to `FILE` from time to time, and when a time limit or a cancellation ends it; a run that ends by itself removes FILE", text(&r.Save, file)}, saves, "", "", false, nil},
		{Option{"checkpoint-every", "time `D` between two states", seconds(&r.Every)}, saves, "seconds", "300", true, nil},
		{Option{"resume", "go on from the state in `FILE`, with the bits of an uninterrupted run", text(&r.Resume, file)}, saves, "", "", false, nil},

		{Option{"ranks", "the `RANKS` to compare: 5, 2:20, 5:50:5 (every fifth), or a list such as 2:8,10,12", text(&r.Ranks, listOfRanks)}, Rank | Consensus, "", "", true, nil},
		{Option{"folds", "number `K` of folds, the parts of the entries that are held out in turn; with 1 nothing is held out", count(&r.Folds)}, Rank, "", "5", true, nil},
		{Option{"consensus", "keep the consensus matrices", flagged(&r.Consensus)}, Rank, "", "", false, nil},
		{Option{"runs", "`N` runs for each rank", several(&r.Runs)}, Consensus, "", "100", true, nil},
		{Option{"resample", "what differs from run to run beside the start: `WAY` columns (drawn with replacement) or poisson (counts, with the entries of M as means)", word(&r.Resample, []string{"columns", "poisson"})}, Consensus, "", "", true, nil},
		{Option{"level", "`SHARE` of the runs that an interval holds", number(&r.Level, 1)}, Consensus, "", "0.95", true, nil},
		{Option{"starts", "number `N` of starts", count(&r.Starts)}, Biclique, "", "20", true, nil},

		{Option{"input", "`FILE` of M, in any format of the command, in place of a matrix", text(&r.Input, file)}, opens, "", "", false, nil},
		{Option{"var", "`NAME` of the variable in a file that holds several; in a .mat file also a field or a cell: s.data, s(2).data or c{1}", text(&r.Variable, "name")}, content, "", "", true, nil},
		{Option{"format", "`TYPE` of the file, such as csv, if its name does not show it", text(&r.Format, "name")}, content, "", "", true, nil},
		{Option{"transpose", "M is the transpose of the matrix in the file", flagged(&r.Transpose)}, content, "", "", true, nil},
		{Option{"dense", "make a sparse matrix of a file dense", flagged(&r.Dense)}, opens &^ Report, "", "", true, nil},
		{Option{"sep", "separator `S` of the cells of a table, also in tables beside INPUT: comma, semicolon, tab, bar or blank (default: detected)", sign(&r.Separator, []string{"comma", "semicolon", "tab", "bar", "blank"}, ",;\t| ")}, anyFile, "", "", true, nil},
		{Option{"decimal", "decimal `SIGN` in a table, also in tables beside INPUT: point or comma (default: detected)", sign(&r.Decimal, []string{"point", "comma"}, ".,")}, anyFile, "", "", true, nil},
		{Option{"header", "whether the first row of a table is a header, also in tables beside INPUT, such as weights: `yes|no` (default: detected)", word(&r.Header, []string{"yes", "no"})}, anyFile, "", "", true, nil},
		{Option{"row-labels", "whether the first column of a table holds labels, also in tables beside INPUT: `yes|no` (default: detected)", word(&r.Labels, []string{"yes", "no"})}, anyFile, "", "", true, nil},
		{Option{"skip-columns", "`COLUMNS` of a table to leave out, by name or number, such as group,7", text(&r.SkipColumns, names)}, content, "", "", true, nil},
		{Option{"missing-text", "`TEXTS` of cells of a table that hold no number, such as ND,n.d., also in tables beside INPUT", text(&r.MissingText, names)}, anyFile, "", "", true, nil},
		{Option{"below", "what cells of a table such as <0.05 stand for, which are below a limit of detection, also in tables beside INPUT: `WAY` half (of the limit), limit, or missing; the default is an error", word(&r.Below, []string{"half", "limit", "missing"})}, anyFile, "", "", true, nil},
		{Option{"triples", "the rows of a table are entries of a sparse matrix: row, column, value (default: if the header says so)", flagged(&r.Triples)}, content, "", "", true, nil},
		{Option{"align", "how curves in a folder of two-column files are joined if their axes differ: `WAY` interpolate (linearly, on the axis of the first file, as far as all files reach); the default is an error", word(&r.Align, []string{"interpolate"})}, anyFile, "", "", true, nil},
		{Option{"grey", "convert images in colour to grey (default: an error)", flagged(&r.Grey)}, anyFile, "", "", true, nil},
		{Option{"row-names", "`FILE` with the names of the rows, one in a line, also compressed; FILE:2 takes the second column of its lines", text(&r.RowNames, file)}, opens, "", "", true, nil},
		{Option{"col-names", "`FILE` with the names of the columns, as --row-names", text(&r.ColNames, file)}, opens, "", "", true, nil},
		{Option{"max-memory", "number `N` of bytes, or a size such as 2GiB, that M in a file may take, with the work on it; what needs more is refused (default: the free memory)", bytes(&r.MaxMemory)}, opens, "bytes", "", true, nil},
		{Option{"scratch", "leave M in its file, a .npy or the folder of a sparse matrix from nmu convert, and write temporary files to the folder `DIR`", text(&r.Scratch, file)}, Factor, "", "", true, nil},
	}
}

// iterations returns the default numbers of iterations of some methods, each after the methods that have it.
func iterations(some func(Description) bool) string {
	var list []string
	var numbers []int
	for _, d := range Methods() {
		if !some(d) || slices.Contains(numbers, d.Most()) {
			continue
		}
		numbers = append(numbers, d.Most())
		names := methodsWith(func(other Description) bool { return some(other) && other.Most() == d.Most() })
		list = append(list, fmt.Sprintf("%s %d", names, d.Most()))
	}
	return strings.Join(list, ", ")
}

// methodsWith returns the names of the methods of which ok is true, as text.
func methodsWith(ok func(d Description) bool) string {
	return strings.Join(Setting{Takes: ok}.Methods(), ", ")
}

// WayOfMissing returns what becomes of missing entries: Missing or, where another setting makes entries missing and
// Missing says nothing, MissingAllow.
func (r *Run) WayOfMissing() string {
	if r.Missing == "" && (r.MissingValue != "" || r.MissingText != "" || r.Negative == "missing" || r.Below == "missing") {
		return MissingAllow
	}
	return r.Missing
}

// Codes returns the numbers of MissingValue.
func (r *Run) Codes() (codes []float64) {
	for number := range strings.SplitSeq(r.MissingValue, ",") {
		if x, err := strconv.ParseFloat(number, 64); err == nil {
			codes = append(codes, x)
		}
	}
	return codes
}

// Inherit sets those of the settings that some picks to the values that they have in from, unless they are given.
func (r *Run) Inherit(from *Run, given func(name string) bool, some func(s Setting) bool) {
	to := Settings(r)
	for i, s := range Settings(from) {
		if text := s.Value.String(); text != "" && some(s) && !given(s.Name) {
			to[i].Value.Set(text) // which took this text before
		}
	}
}

// Processors returns the number of threads: all processors unless r says how many.
func (r *Run) Processors() int { return cmp.Or(r.Threads, runtime.GOMAXPROCS(0)) }

// Comparison returns the settings of a comparison of ranks.
func (r *Run) Comparison() compare.Settings {
	return compare.Settings{
		Start:         r.Settings.Start,
		Limits:        r.Limits,
		MissingSolver: r.MissingSolver,
		Threads:       r.Threads,
		Folds:         r.Folds,
		Consensus:     r.Consensus,
		Runs:          r.Runs,
		Resample:      compare.Resample(r.Resample),
		Level:         r.Level,
	}
}

// OfFile reports whether a setting is for a matrix in a file alone.
func OfFile(s Setting) bool {
	return s.Name == "scratch" || s.Calls&Inspect != 0 && !slices.Contains([]string{"missing", "missing-value", "negative"}, s.Name)
}

// Usage returns the usage of the setting of that name.
func Usage(name string) string {
	for _, s := range Settings(&Run{}) {
		if s.Name == name {
			return s.Usage
		}
	}
	panic("no setting " + name)
}

// Parse sets options from text such as "solver=admm,rho=2". A comma in a value is written twice.
// Owner has the options, such as "method rnmu", and calls each of them kind. Errors wrap
// lnmu.ErrOption.
func Parse(text, owner, kind string, list []Option) error {
	const comma = "\x00" // which no text from C has
	for part := range strings.SplitSeq(strings.ReplaceAll(text, ",,", comma), ",") {
		name, value, found := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		if name == "" && !found {
			continue
		}
		i := slices.IndexFunc(list, func(o Option) bool { return o.Name == name })
		switch {
		case i < 0:
			return fmt.Errorf("%w: %s has no %s %q; %s", lnmu.ErrOption, owner, kind, name, choose(name, kind, list))
		case !found:
			return fmt.Errorf("%w: the %s %s of %s has no value; write %[3]s=VALUE", lnmu.ErrOption, kind, name, owner)
		}
		value = strings.ReplaceAll(value, comma, ",")
		if err := list[i].Value.Set(value); err != nil {
			return fmt.Errorf("%w: %s=%s: %w", lnmu.ErrOption, name, value, err)
		}
	}
	return nil
}

// choose names the options of a list for a name that none of them has, or the setting that it may be.
func choose(name, kind string, list []Option) string {
	var names []string
	for _, o := range list {
		names = append(names, o.Name)
	}
	if near := Nearest(names, name); near != "" {
		return "did you mean " + near + "?"
	}
	var settings []string
	for _, s := range Settings(&Run{}) {
		if s.Calls&Factor != 0 {
			settings = append(settings, s.Name)
		}
	}
	if near := Nearest(settings, name); near != "" && kind == "option" {
		return "did you mean the setting " + near + "?"
	}
	if names == nil {
		return "leave it out"
	}
	return "choose from " + strings.Join(names, ", ")
}

// Set sets r to what text says for a call: settings such as "seed=1,time-limit=60".
func (r *Run) Set(text string, call Call) error {
	var list []Option
	for _, s := range Settings(r) {
		if s.Calls&call != 0 {
			list = append(list, s.Option)
		}
	}
	return Parse(text, strings.Join(call.Names(), " and "), "setting", list)
}

// Matrices returns the names of the settings of a call that are matrices.
func Matrices(call Call) []string {
	var names []string
	for _, s := range Settings(&Run{}) {
		if s.Calls&call != 0 && s.Type() == matrix {
			names = append(names, s.Name)
		}
	}
	return names
}

// texts returns words as text.
func texts[W ~string](words []W) []string {
	var all []string
	for _, w := range words {
		all = append(all, string(w))
	}
	return all
}
