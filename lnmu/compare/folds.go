package compare

import (
	"math/rand/v2"

	"nmu/lnmu"
)

// The labels of entries beside the number of the fold that holds them out.
const (
	missing   = 255 // not observed
	always    = 254 // observed, and never held out
	mostFolds = 250 // largest number of folds
)

// partition assigns the observed entries of an m x n matrix to folds.
type partition struct {
	rows, cols int
	label      []uint8 // row by row
	held       []int   // entries that each fold holds out
	observed   int
	kept       int // observed entries that no fold holds out

	weights lnmu.Matrix[float64] // of the entries; nil: equal ones
	largest float64              // of the weights of observed entries
}

// foldStream is the stream of the generator for folds. Random starts use other streams.
const foldStream = 0x666f6c64

// speckle assigns the observed entries to folds at random. In each row, the numbers of entries
// of two folds differ by at most one. If one fold has all entries of a row or column, the first
// of them is never held out; kept counts these entries.
//
// The folds depend on the shape, the number of folds, the seed and the observed entries, and
// are the same on every machine.
func speckle(rows, cols, folds int, seed uint64, observed func(i, j int) bool) *partition {
	p := &partition{rows: rows, cols: cols, label: make([]uint8, rows*cols), held: make([]int, folds)}
	rng := rand.New(rand.NewPCG(seed, foldStream))
	columns := make([]int, 0, cols)
	for i := range rows {
		row := p.row(i)
		columns = columns[:0]
		for j := range row {
			row[j] = missing
			if observed == nil || observed(i, j) {
				columns = append(columns, j)
			}
		}
		p.observed += len(columns)
		first := below(rng, folds)
		for left := len(columns); left > 0; left-- {
			x := below(rng, left)
			row[columns[x]] = uint8((first + left) % folds)
			columns[x] = columns[left-1]
		}
	}
	for i := range rows {
		p.keep(cols, func(j int) *uint8 { return &p.label[i*cols+j] })
	}
	for j := range cols {
		p.keep(rows, func(i int) *uint8 { return &p.label[i*cols+j] })
	}
	for _, l := range p.label {
		switch l {
		case missing:
		case always:
			p.kept++
		default:
			p.held[l]++
		}
	}
	return p
}

// keep stops a fold from holding out all observed entries of a row or a column with n entries.
func (p *partition) keep(n int, label func(x int) *uint8) {
	first := -1
	for x := range n {
		switch l := *label(x); {
		case l == missing:
		case first < 0:
			first = x
		case l != *label(first):
			return
		}
	}
	if first >= 0 {
		*label(first) = always
	}
}

func (p *partition) row(i int) []uint8 { return p.label[i*p.cols : (i+1)*p.cols] }

// mask returns the mask of the observed entries that a fold does not hold out.
func (p *partition) mask(fold int) *lnmu.Mask {
	k := lnmu.NewMask(p.rows, p.cols)
	for i := range p.rows {
		for j, l := range p.row(i) {
			if l == missing || int(l) == fold {
				k.Set(i, j, false)
			}
		}
	}
	return k
}
