package storages

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"nmu/internal/must"
	"nmu/internal/together"
	"nmu/lnmu"
	"nmu/lnmu/distributed"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
)

// mostAtOnce is how many numbers a process gets at a time of what others have.
const mostAtOnce = 8192

// TestDistributedFactor: a factor of which processes have parts is what it is as a whole, and no
// process gets more of it at once than a piece.
func TestDistributedFactor(t *testing.T) {
	t.Run("float64", testDistributedFactor[float64])
	t.Run("float32", testDistributedFactor[float32])
}

func testDistributedFactor[T lnmu.Float](t *testing.T) {
	for _, shape := range [][2]int{{20000, 3}, {9000, 1}, {5, 2}} {
		v := lnmu.NewDense[T](shape[0], shape[1], nil)
		for i := range v.Data {
			v.Data[i] = T(max(0, i%1013*(i%1013)%1013-300)) / 7 // not all of the sums are exact
		}
		for _, columns := range []bool{false, true} {
			whole, sparsity := v, factors.RowSparsity(v.Transposed())
			if columns {
				whole = v.Transposed()
				sparsity = factors.RowSparsity(whole)
			}
			for _, size := range []int{0, 1, 2, 3, 7} { // 0: without processes
				name := fmt.Sprintf("%d x %d, %d processes", whole.Rows, whole.Cols, size)
				together.Run(max(size, 1), func(p *together.Process) {
					part, all := whole, distributed.Processes(nil)
					if size > 0 {
						part, all = shareFactor(whole, columns, p), p
					}
					j, err := factorOf(part, all, max(whole.Rows, whole.Cols), columns)
					if err != nil {
						t.Errorf("%s: process %d: %v", name, p.Rank(), err)
						runtime.Goexit()
					}
					if rows, cols := j.Dims(); rows != whole.Rows || cols != whole.Cols {
						t.Errorf("%s: process %d: %d x %d", name, p.Rank(), rows, cols)
					}
					must.Equal(t, j.SHA256(), factors.SHA256(whole), name, "process", p.Rank(), "another hash")
					must.Equal(t, j.Sparsity(), sparsity, name, "process", p.Rank())
					inPieces(t, name, p, j, whole)
				})
			}
		}
	}
}

// shareFactor returns the rows of V, or the columns of W, that a process has.
func shareFactor[T lnmu.Float](whole lnmu.Dense[T], columns bool, p distributed.Processes) lnmu.Dense[T] {
	length := max(whole.Rows, whole.Cols)
	first, last := distributed.Share(length, 0, p.Rank(), p.Size())
	if columns {
		return lnmu.Dense[T]{Rows: whole.Rows, Cols: last - first, Data: whole.Data[min(first, len(whole.Data)-1):], Stride: whole.Stride}
	}
	return lnmu.Dense[T]{Rows: last - first, Cols: whole.Cols, Data: whole.Data[first*whole.Stride:], Stride: whole.Stride}
}

// distributed returns the factor of the longer side of a matrix, of which this process has
// part; of the other one there is a row or a column of ones.
func factorOf[T lnmu.Float](part lnmu.Dense[T], all distributed.Processes, length int, columns bool) (*distributed.Factor[T], error) {
	if columns {
		_, w, err := distributed.Whole[T]{Processes: all, Rows: 1, Cols: length}.Factors(lnmutest.Ones[T](1, part.Rows), part)
		return w, err
	}
	v, _, err := distributed.Whole[T]{Processes: all, Rows: length, Cols: 1}.Factors(part, lnmutest.Ones[T](part.Cols, 1))
	return v, err
}

// inPieces reads a factor twice: to its end, and to a piece at which it fails.
func inPieces[T lnmu.Float](t *testing.T, name string, p *together.Process, j *distributed.Factor[T], whole lnmu.Dense[T]) {
	for _, fails := range []bool{false, true} {
		p.Sent, p.Received, p.Broadcasts = together.Count{}, together.Count{}, together.Count{}
		var got []T
		calls, full := 0, errors.New("full")
		err := j.Each(func(x []T) error {
			if calls++; len(x) < 1 || len(x) > mostAtOnce {
				t.Errorf("%s: a piece of %d numbers", name, len(x))
			}
			if fails && calls == 2 {
				return full
			}
			got = append(got, x...)
			return nil
		})
		for size := range p.Received {
			must.AtMost(t, size, mostAtOnce*int(unsafe.Sizeof(T(0))), name, "process", p.Rank(), "gets")
		}
		switch {
		case p.Rank() > 0:
			if err != nil || calls > 0 || len(p.Received) > 0 {
				t.Errorf("%s: process %d: %v, %d calls, %v", name, p.Rank(), err, calls, p.Received)
			}
		case fails && calls > 1:
			if err != full || calls > 2 {
				t.Errorf("%s: %v after %d calls", name, err, calls)
			}
		case err != nil || !slices.Equal(got, whole.Data):
			t.Errorf("%s: other numbers, %v", name, err)
		}
	}
}

// TestDistributedResults: what Factor leaves in processes is joined to what one of them finds.
func TestDistributedResults(t *testing.T) {
	for _, x := range problemsOf[float64](t, "gnmu of 1500 x 7", "nmf of 9 x 800", "nmf of 1500 x 60, sparse") {
		want := x.found(t, memory, nil)
		together.Run(5, func(p *together.Process) {
			of := x.place(storagesOf(false)[1], p)
			res, err := x.solve(of)
			if err == nil {
				v, w, wrong := of.whole.Factors(res.V, res.W)
				if err = wrong; err == nil && (v.SHA256() != factors.SHA256(want.V) || w.SHA256() != factors.SHA256(want.W)) {
					err = errors.New("another factor")
				}
			}
			must.Equal(t, err, nil, x.name, "process", p.Rank())
		})
	}
}

// TestDistributedRefuses: what one process has in error is an error in all of them.
func TestDistributedRefuses(t *testing.T) {
	whole := positive[float64](900, 3, 2)
	for name, change := range map[string]func(x *lnmu.Dense[float64], length *int){
		"fewer rows":     func(x *lnmu.Dense[float64], _ *int) { x.Rows-- },
		"fewer columns":  func(x *lnmu.Dense[float64], _ *int) { x.Cols-- },
		"another length": func(_ *lnmu.Dense[float64], length *int) { *length *= 2 },
		"too few":        func(x *lnmu.Dense[float64], _ *int) { x.Data = x.Data[:9] },
	} {
		for who := range 3 {
			together.Run(3, func(p *together.Process) {
				part, length := shareFactor(whole, false, p), whole.Rows
				if p.Rank() == who {
					change(&part, &length)
				}
				_, err := factorOf(part, p, length, false)
				if !errors.Is(err, lnmu.ErrShape) && !errors.Is(err, lnmu.ErrProcess) {
					t.Errorf("%s in process %d: process %d: %v", name, who, p.Rank(), err)
				}
			})
		}
	}
	must.Refuse(factorOf(lnmu.Dense[float64]{Rows: 3, Cols: 2, Stride: 2}, nil, 3, false))(t, lnmu.ErrShape, "", "a matrix without numbers")
}
