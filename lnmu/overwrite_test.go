package lnmu_test

import (
	"errors"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
)

// TestOverwriteOverlap: a start in the memory of M would change under way.
func TestOverwriteOverlap(t *testing.T) {
	for _, c := range []struct {
		v, w int // where they begin
		ok   bool
	}{{39, 60, false}, {40, 60, true}, {40, 0, false}} {
		all := make([]float64, 100)
		v, w := lnmu.NewDense(8, 1, all[c.v:c.v+8]), lnmu.NewDense(1, 5, all[c.w:c.w+5])
		for _, m := range []lnmu.Matrix[float64]{lnmu.NewDense(8, 5, all[:40]), byColumns(8, 5, all[:40])} {
			for i := range all {
				all[i] = float64(1 + i%7)
			}
			s := lnmu.Settings{Limits: lnmu.Limits{Iterations: 2}}
			if _, err := lnmu.FactorFrom(t.Context(), m, v, w, lnmu.RNMU{}, &s); err != nil {
				t.Errorf("%T without overwrite: %v", m, err)
			}
			s.Overwrite = true
			if _, err := lnmu.FactorFrom(t.Context(), lnmu.NewDense(8, 5, append([]float64(nil), all[:40]...)), v, w, lnmu.RNMU{}, &s); err != nil {
				t.Errorf("overwriting a copy: %v", err)
			}
			if _, err := lnmu.FactorFrom(t.Context(), m, v, w, lnmu.RNMU{}, &s); (err == nil) != c.ok || err != nil && !errors.Is(err, lnmu.ErrOption) {
				t.Errorf("overwriting %T: %v", m, err)
			}
		}
	}
}

// TestOverwriteSpare checks that Overwrite works in the memory of M where it may: a
// run then takes less of its own, by rows and by columns, tall and wide.
func TestOverwriteSpare(t *testing.T) {
	// 203 numbers are not whole cache lines: a method that only reads M copies it too.
	for _, shape := range [][2]int{{300, 203}, {203, 300}} {
		m := lnmutest.Data[float64](shape[0], shape[1], 7)
		for name, x := range map[string]lnmu.Matrix[float64]{"by rows": m, "by columns": byColumns(m.Rows, m.Cols, m.Transposed().Data)} {
			for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}} {
				taken := func(overwrite bool) (bytes uint64) {
					copied := x
					if s, ok := x.(lnmu.Strided[float64]); ok {
						s.Data = append([]float64(nil), s.Data...)
						copied = s
					} else {
						copied = matrix.Clone(m)
					}
					bytes, _ = allocated(func() {
						must.Get(lnmu.Factor(t.Context(), copied, 2, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 2}, Threads: 1, Overwrite: overwrite}))(t)
					})
					return bytes
				}
				with, without := taken(true), taken(false)
				// NMF over a matrix that lies the other way round needs its copy, and so does GNMU.
				least := uint64(8 * m.Rows * m.Cols * 9 / 10)
				tall := m.Rows > m.Cols
				turned := (name == "by columns") == tall
				if saved := without - with; (with > without || saved < least) && !(turned && lnmutest.NameOf(method) == "nmf") && !(!turned && lnmutest.NameOf(method) == "gnmu") {
					t.Errorf("%v %s, %s: %d bytes with Overwrite, %d without", shape, name, lnmutest.NameOf(method), with, without)
				}
			}
		}
	}
}
