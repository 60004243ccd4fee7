package lnmu

import (
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/outline"
)

// Observed is a matrix M with missing entries or with weights. Errors, violations and the
// constraint V W <= M refer to the observed entries. A missing entry of Matrix may hold any
// value, NaN included. A row or column without an observed entry is an error.
//
// A Mask of all entries, and equal Weights, change no bit of a result. Each of several
// processes gives the mask and the weights of its part. All give weights, or none does; a
// process whose part is complete may leave out the mask.
type Observed[T Float] struct {
	Matrix[T]

	// Mask marks the observed entries; nil marks all.
	Mask *Mask

	// Weights are the weights w >= 0 of the squares of M - V W; nil stands for equal ones.
	// Only their ratios matter, but for the Q of a result. An entry of weight 0 is missing. With weights, RelativeError
	// and RelativeViolation are weighted too. If M is in files, every pass calls At of the
	// weights, from several goroutines at the same time.
	Weights Matrix[float64]

	// Weight is the weight of every observed entry, if Weights is nil; 0 stands for none. It changes nothing
	// but the Q of a result.
	Weight float64

	// StoredOnly is for a sparse M: the entries that it does not store are
	// missing, not zero.
	StoredOnly bool
}

// Normalized returns o with a Matrix that is a value, neither an Observed nor a pointer to a type
// of this package; the Matrix of an o that says nothing else may be an Observed. It checks what M in memory claims, and the mask and the weights. It removes a Mask of
// all entries, and equal Weights, which become the Weight. Entries of weight 0 go into the Mask. The Matrix of
// the result for the part of a process is the same part; all processes call Normalized then.
func (o Observed[T]) Normalized() (Observed[T], error) {
	var m Matrix[T] = o
	if o.Mask == nil && o.Weights == nil && o.Weight == 0 && !o.StoredOnly {
		m = o.Matrix
	}
	inner, of, err := unwrap(m)
	if err == nil && of.Processes == nil {
		err = checkMemory("M", inner)
	}
	if err := group.Agree(of.Comm(), err); err != nil {
		return Observed[T]{}, err
	}
	err = of.Settle()
	if of.Processes != nil {
		inner = outline.Part[T]{Any: inner, Processes: of.Processes, Rows: of.Rows, Cols: of.Cols}
	}
	o = Observed[T]{Matrix: inner, StoredOnly: of.StoredOnly}
	if o.Mask, o.Weights = maskAndWeights(of.Entries); o.Weights == nil {
		o.Weight = of.Entries.Largest
	}
	return o, err
}

// entriesOf returns a mask and weights as the engine takes them.
func entriesOf(mask *Mask, weights Matrix[float64]) (e observed.Entries, err error) {
	if mask != nil {
		e.Mask = mask.bits
		if e.Mask.Data == nil { // that of no entry at all
			e.Mask.Data = []byte{}
		}
	}
	if weights == nil {
		return e, nil
	}
	const name = "the weights"
	if weights, err = valueOf(name, weights); err != nil {
		return e, err
	}
	switch weights.(type) {
	case Observed[float64], outline.Part[float64], Unread[float64]:
		return e, fault.Bad("%s are a %T; give a matrix of numbers", name, weights)
	}
	e.Weights = weights
	if rows, cols := weights.Dims(); rows == 0 || cols == 0 { // of a process without a part
		return e, nil
	}
	return e, checkMemory(name, weights)
}

// maskAndWeights returns what entriesOf was given.
func maskAndWeights(e observed.Entries) (mask *Mask, weights Matrix[float64]) {
	if e.Mask.Data != nil {
		mask = &Mask{e.Mask}
	}
	if e.Weights != nil {
		weights = e.Weights
	}
	return mask, weights
}
