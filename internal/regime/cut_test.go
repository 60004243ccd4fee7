package regime

import (
	"context"
	"errors"
	"testing"
	"time"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
)

// cutting is a matrix in files that ends the run in one of its reads.
type cutting struct {
	matrix
	left *int
	end  func()
}

// Room implements a matrix in files.
func (c cutting) Room(lines int) int { return lines * c.Cols }

// ReadLines implements a matrix in files.
func (c cutting) ReadLines(room []float64, first, last int) ([]float64, error) {
	if *c.left--; *c.left == 0 {
		c.end()
		time.Sleep(time.Millisecond) // the reads of a pass are ahead of its work
	}
	lines := room[:0]
	for i := first; i < last; i++ {
		lines = append(lines, c.Row(i)...)
	}
	return lines, nil
}

// TestCut cancels runs in the middle of a pass over a matrix in files: the constraints hold, and
// the error is not above that of the start.
func TestCut(t *testing.T) {
	p := planted(700, 40, 3, 0.05, 8)
	s := scene{p: p, rank: 3, scale: 1, start: "good"}
	v, w := s.factors()
	half := literal.Clone(v)
	for i := range half.Data {
		half.Data[i] /= 2 // so that V W is about as large as M
	}
	for _, l := range lines() {
		if l.name != "nmf accelerated" && l.name != "nmf sum to one V accelerated" && l.name != "nmf sum to one W accelerated" && l.name != "nmf hals" && l.name != "kl multiplicative" {
			continue
		}
		for reads := 2; reads < 60; reads += 2 {
			ctx, cancel := context.WithCancel(t.Context())
			left := reads
			res, err := lnmu.FactorFrom(ctx, lnmu.Matrix[float64](cutting{p.M, &left, cancel}), half, w, l.method(1), &lnmu.Settings{Limits: lnmu.Limits{Iterations: 6}, Threads: 1})
			cancel()
			if !errors.Is(err, context.Canceled) && err != nil {
				t.Fatal(err)
			}
			if res == nil || res.V.Cols == 0 {
				continue
			}
			must.Equal(t, broken(l, p, p.M, res), "", l.name, "cut at read", reads)
			if from, to := l.loss(p, half, w), l.loss(p, res.V, res.W); l.sums == "" && !(to <= from*(1+1e-12)) {
				t.Errorf("%s, cut at read %d: loss %v, at the start %v", l.name, reads, to, from)
			}
		}
	}
}
