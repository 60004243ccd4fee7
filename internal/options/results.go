package options

import (
	"reflect"

	"nmu/lnmu"
)

// Field is a field of a result, under one name in nmu.h, Python and R.
type Field struct {
	Name    string `json:"name"`
	Type    string `json:"type"`           // whole number, number, yes or no, or word
	Unit    string `json:"unit,omitempty"` // what the value is a fraction of
	Meaning string `json:"meaning"`
	Go      string `json:"-"` // the field of lnmu.Result, lnmu.Block or lnmu.Transformed; "" for one that follows from others
	Record  string `json:"-"` // in result.json, if it has another name there; "-" if it has none
}

// Results returns the fields of a factorization, without V, W and those of its blocks.
func Results() []Field {
	return []Field{
		{"rank", "whole number", "", "factors found; further columns of V and rows of W are zero", "", ""},
		{"iterations", "whole number", "", "of all blocks", "", "-"},
		{"relative_error", "number", "||M||", "||M - V W|| / ||M||", "RelativeError", ""},
		{"relative_l1", "number", "sum of M", "sum |M - V W| / sum |M|, with norm=l1", "RelativeL1", ""},
		{"relative_divergence", "number", "divergence of M from its mean", "D(M | V W) over that of M from its mean, with the method kl", "RelativeDivergence", ""},
		{"relative_violation", "number", "||M||", "||max(0, V W - M)|| / ||M||", "RelativeViolation", ""},
		{"max_violation", "number", "", "the largest entry of V W - M, if positive", "MaxViolation", ""},
		{"violation_bound", "yes or no", "", "1 if max_violation is an upper bound only (large sparse M)", "ViolationBound", "max_violation_is_bound"},
		{"largest_entry", "number", "", "of M", "LargestEntry", ""},
		{"stop", "word", "", "the reason: iterations, tolerance, target error, time limit, cancelled, ...", "Stop", ""},
		{"seed", "whole number", "", "of the winning run", "Seed", "best_seed"},
		{"best_restart", "whole number", "", "the number of the winning run, from 1", "BestRestart", ""},
		{"restarts_begun", "whole number", "", "runs that began", "RestartsBegun", ""},
		{"restarts_finished", "whole number", "", "runs that nothing cut short; the best of them won", "RestartsFinished", ""},
		{"revived", "whole number", "", "factors that vanished under the penalties of snmf", "Revived", ""},
		{"missing_solver", "word", "", "the solver for missing entries and weights, if there were any", "MissingSolver", ""},
		{"level", "word", "", "of the kernels: generic, avx2, avx512 or neon", "Level", ""},
	}
}

// BlockFields returns the fields of a block, whose members in result.json are lists. The list of
// its exact steps is in result.json alone.
func BlockFields() []Field {
	return []Field{
		{"rank", "whole number", "", "the number of factors after it", "Rank", "rank_of_error"},
		{"iterations", "whole number", "", "of the block", "Iterations", "iterations_per_block"},
		{"relative_error", "number", "||M||", "with these factors", "Error", "error_per_rank"},
		{"relative_l1", "number", "sum of M", "likewise, with norm=l1", "L1", "l1_per_rank"},
		{"relative_divergence", "number", "divergence of M from its mean", "likewise, with the method kl", "Divergence", "-"},
		{"lowered", "yes or no", "", "1 if a penalty was lowered, since the factor would have vanished", "Lowered", "lowered"},
		{"stop", "word", "", "why its iterations ended", "Stop", "stop_per_block"},
		{"history_length", "whole number", "", "the number of its errors in the history", "", "-"},
	}
}

// TransformFields returns the fields of the weights of new columns, without W.
func TransformFields() []Field {
	return []Field{
		{"relative_error", "number", "||M||", "||M - V W|| / ||M||", "RelativeError", ""},
		{"relative_divergence", "number", "divergence of M from its mean", "D(M | V W) over that of M from its mean, with divergence", "RelativeDivergence", ""},
		{"max_violation", "number", "", "the largest entry of V W - M, if positive", "MaxViolation", ""},
		{"violation_bound", "yes or no", "", "1 if max_violation is an upper bound only (large sparse M)", "ViolationBound", "-"},
		{"iterations", "whole number", "", "largest number of sweeps over a column", "Iterations", ""},
		{"kkt", "number", "", "the largest KKT residual of a column", "KKT", "kkt_residual"},
		{"stop", "word", "", "the reason: tolerance, iterations or cancelled", "Stop", ""},
		{"finished", "whole number", "", "finished columns of W; after cancellation the others are zero", "Finished", "-"},
	}
}

// Values returns the values of fields in x, a lnmu.Result, Block or Transformed: an int64, uint64,
// float64, bool or string each.
func Values(fields []Field, x any) []any {
	from := reflect.Indirect(reflect.ValueOf(x))
	values := make([]any, len(fields))
	for i, f := range fields {
		if f.Go == "" {
			values[i] = derived(f.Name, x)
			continue
		}
		switch v := from.FieldByName(f.Go); v.Kind() {
		case reflect.Int:
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

// derived returns the value of a field that follows from others.
func derived(name string, x any) any {
	switch x := x.(type) {
	case *lnmu.Result[float64]:
		return sumOf(name, x.V.Cols, x.Blocks)
	case *lnmu.Result[float32]:
		return sumOf(name, x.V.Cols, x.Blocks)
	case lnmu.Block:
		return int64(len(x.History))
	}
	panic("no field " + name)
}

// sumOf returns the rank, or the iterations of all blocks.
func sumOf(name string, rank int, blocks []lnmu.Block) int64 {
	if name == "rank" {
		return int64(rank)
	}
	sum := 0
	for _, b := range blocks {
		sum += b.Iterations
	}
	return int64(sum)
}
