package topics_test

import (
	"math"
	"testing"

	"nmu/internal/must"
	"nmu/internal/together"
	"nmu/lnmu"
	"nmu/lnmu/distributed"
	"nmu/lnmu/factors"
	"nmu/lnmu/topics"
)

// counted returns factors of an m x n matrix at rank 3, with sums that are rounded.
func counted(m, n int) (v, w lnmu.Dense[float64]) {
	v, w = lnmu.NewDense[float64](m, 3, nil), lnmu.NewDense[float64](3, n, nil)
	for i := range v.Data {
		v.Data[i] = math.Sqrt(float64(i*i%101)) / 7
	}
	for j := range w.Data {
		w.Data[j] = math.Sqrt(float64(j * 13 % 89))
	}
	return v, w
}

// partOf returns a copy of the rows of v, or of the columns of w, that a process has.
func partOf(p distributed.Processes, m, n int, v, w lnmu.Dense[float64]) (distributed.Whole[float64], lnmu.Dense[float64], lnmu.Dense[float64]) {
	first, last := distributed.Share(m, n, p.Rank(), p.Size())
	i0, i1, j0, j1 := first, last, 0, n
	if n > m {
		i0, i1, j0, j1 = 0, m, first, last
	}
	ofV, ofW := lnmu.NewDense[float64](i1-i0, v.Cols, nil), lnmu.NewDense[float64](w.Rows, j1-j0, nil)
	for i := range ofV.Rows {
		copy(ofV.Row(i), v.Row(i0+i))
	}
	for k := range ofW.Rows {
		copy(ofW.Row(k), w.Row(k)[j0:j1])
	}
	return distributed.Whole[float64]{Processes: p, Rows: m, Cols: n}, ofV, ofW
}

// TestScalePart: several processes scale their parts to those of the whole factors, bit for bit.
func TestScalePart(t *testing.T) {
	for _, shape := range [][2]int{{1000, 7}, {7, 1000}, {5, 5}} {
		v, w := counted(shape[0], shape[1])
		wantV, wantW := counted(shape[0], shape[1])
		must.Do(t, topics.Scale(wantV, wantW))
		for _, size := range []int{1, 2, 3, 5} {
			together.Run(size, func(p *together.Process) {
				part, ofV, ofW := partOf(p, shape[0], shape[1], v, w)
				if err := topics.ScalePart(part, ofV, ofW); err != nil {
					t.Errorf("%v, process %d of %d: %v", shape, p.Rank(), size, err)
					return
				}
				_, partV, partW := partOf(p, shape[0], shape[1], wantV, wantW)
				if factors.SHA256(ofV) != factors.SHA256(partV) || factors.SHA256(ofW) != factors.SHA256(partW) {
					t.Errorf("%v, process %d of %d: other factors than those of one process", shape, p.Rank(), size)
				}
			})
		}
	}
}

// TestScalePartRefuses: an entry in the part of one process ends the work of all, and is named by
// its place in the whole factor.
func TestScalePartRefuses(t *testing.T) {
	for _, x := range []struct {
		m, n, rank, at int
		value          float64
		says           string
	}{
		{1000, 7, 2, 900*3 + 1, -1, "row 901, column 2 of V"},
		{7, 1000, 1, 1000 + 500, math.NaN(), "row 2, column 501 of W"},
		{7, 1000, 1, 1000 + 500, math.MaxFloat64, "entry (2, 501) of W overflows"},
	} {
		v, w := counted(x.m, x.n)
		if x.m > x.n {
			v.Data[x.at] = x.value
		} else {
			w.Data[x.at] = x.value
		}
		together.Run(3, func(p *together.Process) {
			part, ofV, ofW := partOf(p, x.m, x.n, v, w)
			before := factors.SHA256(ofV) + factors.SHA256(ofW)
			err := topics.ScalePart(part, ofV, ofW)
			want := lnmu.ErrProcess
			if p.Rank() == x.rank {
				want = lnmu.ErrValue
			}
			must.Fail(t, err, want, x.says, "process", p.Rank())
			must.Equal(t, factors.SHA256(ofV)+factors.SHA256(ofW), before, "process", p.Rank(), "the factors have changed")
		})
	}
	v, w := counted(1000, 7)
	together.Run(2, func(p *together.Process) {
		part, ofV, ofW := partOf(p, 1000, 7, v, w)
		if p.Rank() == 1 {
			ofV = ofV.Slice(0, 3, 0, 3)
		}
		if err := topics.ScalePart(part, ofV, ofW); err == nil {
			t.Errorf("process %d takes a part of another shape", p.Rank())
		}
	})
}
