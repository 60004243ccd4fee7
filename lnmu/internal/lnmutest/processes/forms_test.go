package processes

import (
	"errors"
	"strings"
	"testing"

	"nmu/internal/together"
	"nmu/lnmu"
)

// TestForms checks that processes with a dense and with a sparse part of M are refused: their
// passes exchange different messages.
func TestForms(t *testing.T) {
	const rows, cols = 400, 30
	m := lnmu.NewDense[float64](rows, cols, nil)
	for i := range m.Data {
		m.Data[i] = float64(1 + i%7)
	}
	together.Run(2, func(p *together.Process) {
		first, last := lnmu.Share(rows, cols, p.Rank(), p.Size())
		own := m.Slice(first, last, 0, cols)
		of := lnmu.Part[float64]{Matrix: own, Processes: p, Rows: rows, Cols: cols}
		if p.Rank() == 1 {
			of.Matrix = lnmu.NewCSR(own)
		}
		res, err := lnmu.Factor(t.Context(), of, 2, lnmu.GNMU{}, nil)
		want := lnmu.ErrProcess
		if p.Rank() == 1 {
			want = lnmu.ErrOption
		}
		if res != nil || !errors.Is(err, want) || p.Rank() == 1 && !strings.Contains(err.Error(), "process 1 has its part of M in memory, sparse, and process 0 in memory, dense; give all processes the same") {
			t.Errorf("process %d: result %v, error %v", p.Rank(), res, err)
		}
	})
}
