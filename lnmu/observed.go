package lnmu

import "nmu/lnmu/internal/observed"

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
	// Only their ratios matter. An entry of weight 0 is missing. With weights, RelativeError
	// and RelativeViolation are weighted too. If M is a Stored, every pass calls At of the
	// weights, from several goroutines at the same time.
	Weights Matrix[float64]

	// StoredOnly is for a CSR or a StoredCSR: the entries that it does not store are
	// missing, not zero.
	StoredOnly bool
}

// Normalized checks o against the shape of its matrix and removes a Mask of all entries and
// equal Weights, which have no effect. Entries of weight 0 go into the Mask. Of several
// processes, normalise M as a whole.
func (o Observed[T]) Normalized() (Observed[T], error) {
	inner, of, err := unwrap[T](o)
	if err == nil {
		err = of.Settle()
	}
	o.Mask, o.Weights = nil, nil
	if e := of.Entries; e.Mask.Data != nil {
		o.Mask = &Mask{e.Mask}
	}
	if w := of.Entries.Weights; w != nil {
		o.Weights = w
	}
	o.Matrix = inner
	return o, err
}

// entriesOf returns a mask and weights as the engine takes them.
func entriesOf(mask *Mask, weights Matrix[float64]) (e observed.Entries) {
	if mask != nil {
		e.Mask = mask.bits
		if e.Mask.Data == nil { // that of no entry at all
			e.Mask.Data = []byte{}
		}
	}
	if weights != nil {
		e.Weights = weights
	}
	return e
}

// completed is a method with other defaults for a matrix that is not complete.
type completed interface{ forIncomplete() Method }

var missingSolvers = []MissingSolver{MissingMajorize, MissingExact}
