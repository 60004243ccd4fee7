package options

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// Field is a field of a result, under one name in nmu.h, Python, R and result.json.
type Field struct {
	Name    string `json:"name"`
	Type    string `json:"type"`           // whole number, number, yes or no, word, text, or lines of text
	Unit    string `json:"unit,omitempty"` // what the value is a fraction of
	Meaning string `json:"meaning"`
	Go      string `json:"-"` // the field of the result in Go; "" for one that follows from others
	Label   string `json:"-"` // what the table of nmu factor calls the number; "" for one that it lacks, or words by itself
}

// Fields lists the fields of each kind of result, by the name of its struct in nmu.h. A number is NaN if it was not
// measured.
func Fields() map[string][]Field {
	return map[string][]Field{
		// A factorization, without V, W and those of its blocks.
		"nmu_result": {
			{"rank", "whole number", "", "factors found; further columns of V and rows of W are zero", "", ""},
			{"iterations_done", "whole number", "", "of all blocks", "", ""},
			{"relative_error", "number", "||M||", "||M - V W|| / ||M||", "RelativeError", "relative error"},
			{"relative_l1", "number", "sum of M", "sum |M - V W| / sum |M|, with norm=l1", "RelativeL1", "relative l1 error"},
			{"relative_divergence", "number", "divergence of M from its mean", "D(M | V W) over that of M from its mean, with the method kl; infinite if V W is 0 where M is not", "RelativeDivergence", ""},
			{"relative_violation", "number", "||M||", "||max(0, V W - M)|| / ||M||", "RelativeViolation", "relative violation"},
			{"max_violation", "number", "", "the largest entry of V W - M, if positive", "MaxViolation", "largest violation"},
			{"violation_bound", "yes or no", "", "1 if max_violation is an upper bound only (large sparse M)", "ViolationBound", ""},
			{"largest_entry", "number", "", "of M", "LargestEntry", ""},
			{"stop", "word", "", "the reason: iterations, tolerance, target error, time limit, cancelled, ...", "Stop", ""},
			{"best_seed", "whole number", "", "the seed of the winning run", "BestSeed", ""},
			{"best_restart", "whole number", "", "the number of the winning run, from 1", "BestRestart", ""},
			{"restarts_begun", "whole number", "", "runs that began", "RestartsBegun", ""},
			{"restarts_finished", "whole number", "", "runs that nothing cut short; the best of them won", "RestartsFinished", ""},
			{"revived", "whole number", "", "factors that vanished under the penalties of snmf", "Revived", ""},
			{"missing_solver", "word", "", "the solver for missing entries and weights, if there were any", "MissingSolver", ""},
			{"level", "word", "", "of the kernels: generic, avx2, avx512 or neon", "Level", ""},
			{"notes", "lines", "", "what a caller might not expect: penalties that leave nothing, ...", "Notes", ""},
			{"q", "number", "", "the sum of w (M - V W)^2 with the weights w as given; 0 without weights", "Q", "Q"},
			{"expected_q", "number", "", "the expectation of q, if the weights are 1/s^2 for errors of standard deviation s", "ExpectedQ", ""},
		},
		// A block. The list of its exact steps is in result.json alone.
		"nmu_block": {
			{"rank", "whole number", "", "the number of factors after it", "Rank", ""},
			{"iterations_done", "whole number", "", "of the block", "IterationsDone", ""},
			{"relative_error", "number", "||M||", "with these factors", "Error", ""},
			{"relative_l1", "number", "sum of M", "likewise, with norm=l1", "L1", ""},
			{"relative_divergence", "number", "divergence of M from its mean", "likewise, with the method kl", "Divergence", ""},
			{"lowered", "yes or no", "", "1 if a penalty was lowered, since the factor would have vanished", "Lowered", ""},
			{"stop", "word", "", "why its iterations ended", "Stop", ""},
			{"history_length", "whole number", "", "the number of its errors in the history", "", ""},
		},
		// Weights of new columns, without W.
		"nmu_transform_result": {
			{"relative_error", "number", "||M||", "||M - V W|| / ||M||", "RelativeError", ""},
			{"relative_divergence", "number", "divergence of M from its mean", "D(M | V W) over that of M from its mean, with divergence; infinite if V W is 0 where M is not", "RelativeDivergence", ""},
			{"max_violation", "number", "", "the largest entry of V W - M, if positive", "MaxViolation", ""},
			{"violation_bound", "yes or no", "", "1 if max_violation is an upper bound only (large sparse M)", "ViolationBound", ""},
			{"iterations_done", "whole number", "", "largest number of sweeps over a column", "IterationsDone", ""},
			{"kkt", "number", "", "the largest KKT residual of a column", "KKT", ""},
			{"stop", "word", "", "the reason: tolerance, iterations or cancelled", "Stop", ""},
			{"finished", "whole number", "", "finished columns of W; after cancellation the others are zero", "Finished", ""},
		},
		// A comparison of ranks, without those of its points.
		"nmu_rank_result": {
			{"rank", "whole number", "", "the advice; 0 if no rank is clear", "Rank", ""},
			{"least", "whole number", "", "the rank of the least held-out error; 0 if nothing was held out", "Least", ""},
			{"one_standard_error", "whole number", "", "the smallest rank within one standard error of it; likewise", "OneStandardError", ""},
			{"elbow", "whole number", "", "of the training error; 0 if there is none", "Elbow", ""},
			{"at_end", "yes or no", "", "1 if a larger rank may be better", "AtEnd", ""},
			{"reason", "text", "", "of the advice", "Reason", ""},
			{"compared", "word", "", "the runs that were compared: restarts, folds, or none", "Compared", ""},
			{"all_runs", "whole number", "", "of all ranks", "AllRuns", ""},
			{"runs_finished", "whole number", "", "those that nothing cut short", "Finished", ""},
			{"stop", "word", "", "why there are fewer: time limit or cancelled", "Stop", ""},
			{"notes", "lines", "", "of all finished runs, as in a factorization, each once", "Notes", ""},
		},
		// A rank in a comparison.
		"nmu_rank_point": {
			{"rank", "whole number", "", "that was tried", "Rank", ""},
			{"training_error", "number", "||M||", "of the best run of all entries, with the method kl a divergence", "Training", ""},
			{"held_out_error", "number", "||M||", "at the entries that a run did not see, likewise", "Mean", ""},
			{"standard_error", "number", "||M||", "of the held-out error", "StandardError", ""},
			{"agreeing_runs", "whole number", "", "runs that were compared", "Runs", ""},
			{"stability", "number", "", "the mean cosine of matched columns of V", "Stability", ""},
			{"cophenetic", "number", "", "correlation of the consensus matrix", "Cophenetic", ""},
			{"dispersion", "number", "", "of the consensus matrix", "Dispersion", ""},
		},
		// A comparison of many runs, without those of its points.
		"nmu_consensus_result": {
			{"rank", "whole number", "", "the advice, the largest rank whose parts recur; 0 if none is clear", "Rank", ""},
			{"reason", "text", "", "of the advice", "Reason", ""},
			{"measure", "word", "", "of the errors: divergence with the method kl, else empty", "Measure", ""},
			{"observed", "whole number", "", "entries of M", "Observed", ""},
			{"weighted", "yes or no", "", "1 if the entries have weights", "Weighted", ""},
			{"resample", "word", "", "what differed from run to run beside the start", "Resample", ""},
			{"level", "number", "", "the share of the runs that an interval holds", "Level", ""},
			{"seed", "whole number", "", "of the first run", "Seed", ""},
			{"runs", "whole number", "", "for each rank", "Runs", ""},
			{"all_runs", "whole number", "", "of all ranks", "AllRuns", ""},
			{"runs_finished", "whole number", "", "those that nothing cut short", "Finished", ""},
			{"stop", "word", "", "why there are fewer: time limit or cancelled", "Stop", ""},
			{"notes", "lines", "", "of all finished runs, as in a factorization, each once, and on parts of fewer than two runs", "Notes", ""},
		},
		// A rank in a comparison of many runs, without V, W, their intervals and its parts.
		"nmu_consensus_point": {
			{"rank", "whole number", "", "that was tried", "Rank", ""},
			{"runs", "whole number", "", "that are compared", "Runs", ""},
			{"stability", "number", "", "the mean silhouette of the parts: 1 if all runs find the same", "Stability", ""},
			{"error", "number", "||M||", "of the consensus V W, with the method kl a divergence", "Error", ""},
			{"run_error", "number", "||M||", "the median of the runs, each of its own matrix", "RunError", ""},
			{"cophenetic", "number", "", "correlation of the consensus map", "Cophenetic", ""},
			{"dispersion", "number", "", "of the consensus map", "Dispersion", ""},
			{"q", "number", "", "the weighted sum of squares of M - V W; 0 without weights", "Q", ""},
			{"run_q", "number", "", "the least of the runs, each of its own matrix", "RunQ", ""},
			{"expected_q", "number", "", "the expectation of q, if the weights are 1/s^2 for errors of standard deviation s", "ExpectedQ", ""},
		},
		// An estimate.
		"nmu_estimate_result": {
			{"memory", "whole number", "bytes", "of memory beside M in memory, with the results", "Memory", ""},
			{"scratch", "whole number", "bytes", "of the folder for scratch files", "Scratch", ""},
			{"reads", "whole number", "bytes", "of files, by an iteration of one block of factors", "Reads", ""},
			{"writes", "whole number", "bytes", "likewise", "Writes", ""},
		},
		// A part of a rank.
		"nmu_part": {
			{"silhouette", "number", "", "the mean over the runs, by 1 - cosine between columns of V", "Silhouette", ""},
			{"kept", "whole number", "", "the runs whose part is no outlier", "Kept", ""},
		},
		// Measures in the paper's tables.
		"nmu_measures": {
			{"relative_error", "number", "||M||", "||M - V W|| / ||M||", "RelativeError", ""},
			{"max_violation", "number", "", "the largest entry of V W - M, if positive", "MaxViolation", ""},
			{"scale", "number", "", "the number that fits V W to M best", "Scale", ""},
			{"scaled_error", "number", "||M||", "the relative error of V W times it", "ScaledError", ""},
			{"basis_zeros", "number", "", "s(V): the share of zeros, from 0 to 1", "Basis.Zeros", ""},
			{"weight_zeros", "number", "", "s(W), likewise", "Weights.Zeros", ""},
			{"basis_hoyer", "number", "", "sh(V): Hoyer's measure of columns of V", "Basis.Hoyer", ""},
			{"weight_hoyer", "number", "", "sh(W): of rows of W", "Weights.Hoyer", ""},
			{"relative_violation", "number", "||M||", "||max(0, V W - M)|| / ||M||", "RelativeViolation", ""},
			{"largest_entry", "number", "", "the largest entry of M", "LargestEntry", ""},
		},
		// A biclique. The arrays of its rows and columns belong to the caller.
		"nmu_biclique_result": {
			{"rows", "whole number", "", "the number of rows", "Rows", ""},
			{"cols", "whole number", "", "the number of columns", "Cols", ""},
			{"edges", "whole number", "", "their product", "Edges", ""},
			{"bound", "whole number", "", "no biclique has more edges", "Bound", ""},
			{"start", "whole number", "", "the number of the start that found it, from 1", "Start", ""},
		},
		// Progress of a call.
		"nmu_progress": {
			{"restart", "whole number", "", "from 1", "Restart", ""},
			{"restarts", "whole number", "", "of how many", "Restarts", ""},
			{"factor", "whole number", "", "factors finished before the current block", "Factor", ""},
			{"rank", "whole number", "", "of how many", "Rank", ""},
			{"iteration", "whole number", "", "of the current block", "Iteration", ""},
			{"iterations", "whole number", "", "of how many", "Iterations", ""},
			{"relative_error", "number", "||M||", "so far", "RelativeError", ""},
			{"elapsed", "number", "seconds", "in seconds", "Elapsed", ""},
			{"remaining", "number", "seconds", "in seconds, an estimate", "Remaining", ""},
		},
	}
}

// FieldsOf lists the fields of one kind of result.
func FieldsOf(name string) []Field { return Fields()[name] }

// Part is a part of a rank of a comparison of many runs.
type Part struct {
	Silhouette float64
	Kept       int
}

// Values returns the values of fields in x, a pointer to a struct or a struct: an int64, uint64, float64,
// bool or string each: of a slice its length, of texts their lines, of a duration the seconds. A field is
// looked for in the structs within x too.
func Values(fields []Field, x any) []any {
	from := reflect.Indirect(reflect.ValueOf(x))
	values := make([]any, len(fields))
	for i, f := range fields {
		if f.Go == "" {
			values[i] = derived(f.Name, x)
			continue
		}
		v := from
		for name := range strings.SplitSeq(f.Go, ".") {
			v = find(v, name)
		}
		if v.IsValid() && v.Type() == reflect.TypeFor[time.Duration]() {
			values[i] = time.Duration(v.Int()).Seconds()
			continue
		}
		switch v.Kind() {
		case reflect.Slice:
			values[i] = int64(v.Len())
			if texts, ok := v.Interface().([]string); ok {
				values[i] = strings.Join(texts, "\n")
			}
		case reflect.Invalid:
			values[i] = math.NaN()
			if f.Type == "whole number" {
				values[i] = int64(0)
			}
		case reflect.Int, reflect.Int64:
			values[i] = v.Int()
		case reflect.Uint64:
			values[i] = v.Uint()
		case reflect.Float64:
			values[i] = v.Float()
		case reflect.Bool:
			values[i] = v.Bool()
		default:
			values[i] = v.String()
		}
	}
	return values
}

// Pick returns the fields of these names, in their order.
func Pick(fields []Field, names ...string) []Field {
	some := make([]Field, len(names))
	for i, name := range names {
		some[i] = fields[slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })]
	}
	return some
}

// Texts returns the values of fields in x for a table: numbers with a unit as fraction writes them, others with three
// decimals. A number that was not measured is empty.
func Texts(fields []Field, x any, fraction func(float64) string) []string {
	texts := make([]string, len(fields))
	for i, value := range Values(fields, x) {
		switch number, ok := value.(float64); {
		case !ok:
			texts[i] = fmt.Sprint(value)
		case math.IsNaN(number):
		case fields[i].Unit != "":
			texts[i] = fraction(number)
		default:
			texts[i] = fmt.Sprintf("%.3f", number)
		}
	}
	return texts
}

// Curve calls add for each of the points, in order, with its rank and the value of a field, unless that was not
// measured or is infinite.
func Curve[P any](fields []Field, points []P, name string, add func(rank, value float64)) {
	for _, p := range points {
		x := Values(Pick(fields, "rank", name), p)
		if y := x[1].(float64); !math.IsNaN(y) && !math.IsInf(y, 0) {
			add(float64(x[0].(int64)), y)
		}
	}
}

// find returns the field of that name of a struct, or of one that a field of it is or points to; the
// zero Value if it is behind a nil pointer.
func find(from reflect.Value, name string) reflect.Value {
	if v := from.FieldByName(name); v.IsValid() {
		return reflect.Indirect(v)
	}
	for i := range from.NumField() {
		if v := reflect.Indirect(from.Field(i)); v.Kind() == reflect.Struct {
			if v := find(v, name); v.IsValid() {
				return v
			}
		}
	}
	return reflect.Value{}
}

// derived returns the value of a field that follows from others.
func derived(name string, x any) any {
	switch x := x.(type) {
	case *lnmu.Result[float64]:
		return sumOf(name, x.V.Cols, x.Blocks)
	case *lnmu.Result[float32]:
		return sumOf(name, x.V.Cols, x.Blocks)
	case outcome.Block:
		return int64(len(x.History))
	}
	panic("no field " + name)
}

// sumOf returns the rank, or the iterations of all blocks.
func sumOf(name string, rank int, blocks []outcome.Block) int64 {
	if name == "rank" {
		return int64(rank)
	}
	sum := 0
	for _, b := range blocks {
		sum += b.IterationsDone
	}
	return int64(sum)
}
