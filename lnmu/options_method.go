package lnmu

import (
	"fmt"
	"math"
)

// checkMethod checks the options that belong to one method, SNMF or Hoyer.
func (o *Options[T]) checkMethod() error {
	for _, x := range []struct {
		name   string
		value  float64
		method Method
		most   float64 // 0: none
	}{
		{"penalty of V", o.PenaltyV, SNMF, 0},
		{"penalty of W", o.PenaltyW, SNMF, 0},
		{"target sparsity of V", o.SparsityV, SNMF, 1},
		{"target sparsity of W", o.SparsityW, SNMF, 1},
		{"sparseness of V", o.HoyerV, Hoyer, 1},
		{"sparseness of W", o.HoyerW, Hoyer, 1},
	} {
		switch {
		case x.value == 0:
		case o.Method != x.method:
			return fmt.Errorf("%w: %s %v for method %s; it belongs to %s", ErrOption, x.name, x.value, o.Method, x.method)
		case x.most == 0 && !(x.value > 0 && !math.IsInf(x.value, 0)):
			return fmt.Errorf("%w: %s %v; choose a positive finite number", ErrOption, x.name, x.value)
		case x.most > 0 && !(x.value > 0 && x.value <= x.most):
			return fmt.Errorf("%w: %s %v; choose a number from 0 to %v", ErrOption, x.name, x.value, x.most)
		}
	}
	switch o.Method {
	case SNMF:
		fixed, targets := o.PenaltyV > 0 || o.PenaltyW > 0, o.SparsityV > 0 || o.SparsityW > 0
		switch {
		case fixed && targets:
			return fmt.Errorf("%w: both penalties and target sparsities; choose one of them", ErrOption)
		case fixed && (o.PenaltyV == 0 || o.PenaltyW == 0):
			return fmt.Errorf("%w: a penalty on one factor alone is no bound, as the other one can grow instead; set both", ErrOption)
		case !fixed && !targets:
			return fmt.Errorf("%w: method snmf needs penalties or target sparsities", ErrOption)
		}
	case Hoyer:
		if o.HoyerV == 0 && o.HoyerW == 0 {
			return fmt.Errorf("%w: method hoyer needs the sparseness of V, of W or of both", ErrOption)
		}
	}
	return nil
}

// checkNorm fills in the norm and checks that the other options go with it.
func (o *Options[T]) checkNorm() error {
	switch o.Norm {
	case "":
		o.Norm = L2
	case L2:
	case L1:
		switch {
		case o.Method != RNMU:
			return fmt.Errorf("%w: norm l1 for method %s; only rnmu has it", ErrOption, o.Method)
		case o.Block != 1:
			return fmt.Errorf("%w: norm l1 with blocks of %d; it finds one factor at a time", ErrOption, o.Block)
		case o.Feasible != "":
			return fmt.Errorf("%w: norm l1 with feasible %s, whose exact step is for l2", ErrOption, o.Feasible)
		}
	default:
		return fmt.Errorf("%w: unknown norm %q; choose l2 or l1", ErrOption, o.Norm)
	}
	return nil
}
