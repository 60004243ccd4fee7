package solve

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/cmd/nmu/internal/process"
	"nmu/internal/convert"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// member is a process that has a number, and says nothing to others.
type member struct {
	process.World
	rank, size int
}

func (m member) Rank() int { return m.rank }
func (m member) Size() int { return m.size }

// The rows of the parts of all processes are those of a sparse matrix in its folder.
func TestStoredRows(t *testing.T) {
	const rows, cols = 700, 9
	var text strings.Builder
	entries := 0
	for i := range rows {
		for j := range cols {
			if (i*i+j)%4 == 0 {
				fmt.Fprintf(&text, "%d %d %d\n", i+1, j+1, 1+i%7*j)
				entries++
			}
		}
	}
	path, dir := filepath.Join(t.TempDir(), "m.mtx"), filepath.Join(t.TempDir(), "m")
	head := fmt.Sprintf("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", rows, cols, entries)
	if err := os.WriteFile(path, []byte(head+text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	in := convert.Input{Path: path, Open: func(spill *matio.Spill, transposed bool, most int64) (*matio.File, error) {
		return matio.Open(path, matio.Options{Spill: spill, Transpose: transposed, MaxMemory: most})
	}}
	if _, err := convert.ToCSR(t.Context(), dir, []convert.Input{in}, convert.Settings{Memory: 1 << 26}); err != nil {
		t.Fatal(err)
	}
	parts, err := matio.OpenParts(dir, matio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer parts.Close()
	whole, err := newStoredRows[float64](parts, &Job{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := whole.ReadRows(0, rows)
	if err != nil || whole.Entries() != entries || want.Validate() != nil {
		t.Fatalf("%d entries of %d, %v", whole.Entries(), entries, err)
	}
	for _, size := range []int{1, 3, 6} { // of which the last have no rows
		got := lnmu.CSR[float64]{Cols: cols, Ptr: []int{0}}
		for rank := range size {
			m, err := newStoredRows[float64](parts, &Job{All: &process.Group{World: member{rank: rank, size: size}}})
			if err != nil {
				t.Fatal(err)
			}
			n, _ := m.Dims()
			ptr, err := m.Pointers(0, n)
			if err != nil || ptr[0] != 0 || ptr[n] != m.Entries() {
				t.Errorf("process %d of %d: pointers %v, %d entries, %v", rank, size, ptr, m.Entries(), err)
			}
			for i := 0; i < n; i += 50 {
				x, err := m.ReadRows(i, min(i+50, n))
				if err != nil {
					t.Fatal(err)
				}
				for _, at := range x.Ptr[1:] {
					got.Ptr = append(got.Ptr, len(got.Val)+at)
				}
				got.Idx, got.Val, got.Rows = append(got.Idx, x.Idx...), append(got.Val, x.Val...), got.Rows+x.Rows
			}
		}
		if got.Rows != rows || !slices.Equal(got.Ptr, want.Ptr) || !slices.Equal(got.Idx, want.Idx) || !slices.Equal(got.Val, want.Val) {
			t.Errorf("%d processes have other rows", size)
		}
	}
}
