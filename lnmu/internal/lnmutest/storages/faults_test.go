package storages

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"nmu/internal/leak"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestFaults: an error of the disk of one process, wherever it comes, ends all of them with this
// error, also where they read the state that they go on from. All scratch files are closed, and the
// states that were saved before are whole.
func TestFaults(t *testing.T) {
	leak.Check(t)
	points, turn := int64(2), 0
	names := []string{"gnmu of 500 x 7, formed", "accelerated of 1300 x 3", "rnmu of 9 x 400, last", "rnmu admm, blocks of 1500 x 60, sparse", "nmf of 600 x 900, sparse"}
	for _, x := range problemsOf[float64](t, names...) {
		want := x.found(t, memory, nil)
		for _, s := range storagesOf(x.sparse != nil) {
			if !s.files || s.processes > 3 {
				continue
			}
			smallChunks(t, map[bool]int{true: 1, false: 4000}[x.sparse != nil], 2)
			folders := []string{t.TempDir(), t.TempDir(), t.TempDir()}
			for who := range max(1, s.processes) {
				if turn++; s.processes > 0 && turn%2 != 0 && os.Getenv("NMU_FULL") == "" {
					continue
				}
				// with solves the problem with errors of the disk of process who, after so many reads of M or
				// those of its scratch files.
				with := func(after int64, w *watched, from []byte) (errs []error, states [][]byte, reads int64) {
					w.folder = folders[who]
					defer w.replace()()
					var disk *lnmutest.Disk
					parts, errs := x.in(s, func(rank int, of *process[float64]) {
						if from != nil {
							resuming[float64](from)(rank, of)
						} else if rank == 0 {
							of.settings.Checkpoint = keeping(&testing.T{}, &states, nil)
						}
						if of.settings.Scratch = folders[rank]; rank == who {
							disk = of.disk
							disk.ErrAfter.Store(after)
						}
					})
					for rank, err := range errs {
						if err != nil && parts[rank] != nil {
							t.Errorf("%s in %s: process %d: a result beside the error %v", x.name, s.name, rank, err)
						}
					}
					must.Equal(t, w.opened.Reads.Load(), w.closed.Reads.Load(), x.name, "in", s.name)
					return errs, states, disk.Reads.Load()
				}
				check := func(what string, after int64, errs []error, states [][]byte, reached bool) {
					t.Helper()
					name := fmt.Sprintf("%s in %s, %s of process %d fails after %d", x.name, s.name, what, who, after)
					if !reached && errors.Join(errs...) == nil {
						return // what is read ahead may not be needed
					}
					if ended(t, name, errs, who, lnmutest.ErrReader); len(states) > 1 {
						alike(t, name+", resumed", x.found(t, memory, resuming[float64](states[len(states)-2])), want)
					}
				}
				sound := &watched{}
				errs, saved, reads := with(0, sound, nil)
				must.Do(t, errors.Join(errs...), x.name, "in", s.name)
				for after := int64(1); after < reads; after += 1 + reads/points {
					errs, states, n := with(after, &watched{}, nil)
					check("a read", after, errs, states, n > after && after < reads-4)
				}
				for k := range points {
					if all := sound.written.Reads.Load(); all > 0 {
						w := &watched{writes: 1 + k*all/(points+1)}
						errs, states, _ := with(0, w, nil)
						check("a write", w.writes, errs, states, w.written.Reads.Load() > w.writes)
						w = &watched{writes: k + 1}
						errs, _, _ = with(0, w, saved[0])
						check("a write of a state", w.writes, errs, nil, w.written.Reads.Load() > w.writes)
					}
					if all := sound.read.Reads.Load(); all > 0 {
						w := &watched{reads: 1 + k*all/(points+1)}
						errs, states, _ := with(0, w, nil)
						check("a read of a scratch file", w.reads, errs, states, w.read.Reads.Load() > w.reads)
					}
				}
				if sound.opened.Reads.Load() > 0 {
					errs, states, _ := with(0, &watched{none: 1}, nil)
					check("a new file", 0, errs, states, true)
				}
			}
		}
	}
	for _, m := range []lnmu.Matrix[float64]{&lnmutest.LinesOf[float64]{Dense: positive[float64](60, 9, 3)}, &lnmutest.RowsOfCSR[float64]{CSR: sparseOf[float64](t, 60, 9, 300)}} {
		s := &lnmu.Settings{Scratch: filepath.Join(t.TempDir(), "none")}
		if _, err := lnmu.Factor(t.Context(), m, 2, lnmu.GNMU{}, s); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%T: no folder for scratch files: %v", m, err)
		}
	}
	short := shortLines{&lnmutest.LinesOf[float64]{Dense: positive[float64](60, 9, 3)}}
	must.Refuse(lnmu.Factor(t.Context(), short, 2, lnmu.NMF{}, nil))(t, lnmu.ErrShape, "", "a reader that reads too little")
}

// shortLines reads too little.
type shortLines struct{ *lnmutest.LinesOf[float64] }

func (r shortLines) ReadLines(room []float64, first, last int) ([]float64, error) {
	return r.LinesOf.ReadLines(room, first, last-1)
}
