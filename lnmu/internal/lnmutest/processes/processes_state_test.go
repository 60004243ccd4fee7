package processes

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"

	"nmu/internal/together"
	"nmu/lnmu"
)

// cut is a run of a matrix, by one process or by several, with checkpoints.
type cut[T lnmu.Float] func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[T], error)

// states returns the states that a run hands out, one for every iteration.
func states(s *lnmu.Settings) *[][]byte {
	var all [][]byte
	s.Checkpoint = &lnmu.Checkpoint{Note: []byte("a note"), Save: func(state io.WriterTo) {
		var b bytes.Buffer
		if _, err := state.WriteTo(&b); err != nil {
			panic(err)
		}
		all = append(all, b.Bytes())
	}}
	return &all
}

// timeless is a state without the time that was spent and the checksum.
func timeless(state []byte) []byte {
	state = bytes.Clone(state[:len(state)-32])
	name := append([]byte{byte(len("elapsed"))}, "elapsed"...)
	if at := bytes.Index(state, name); at > 0 {
		binary.LittleEndian.PutUint64(state[at+len(name)+9:], 0)
	}
	return state
}

// TestProcessesCheckpoint: the states of several processes are those of one, and any
// number of processes goes on from them to the same result.
func TestProcessesCheckpoint(t *testing.T) {
	for _, shape := range [][2]int{{500, 7}, {9, 500}} {
		m := positive[float64](shape[0], shape[1], 3)
		v, w := lnmu.NewDense[float64](m.Rows, 3, nil), lnmu.NewDense[float64](3, m.Cols, nil)
		for i := range v.Data {
			v.Data[i] = float64(i % 7)
		}
		for i := range w.Data {
			w.Data[i] = float64(i % 5)
		}
		for _, c := range []run{runs[1], runs[2], runs[3], runs[5], runs[7], runs[8]} {
			compareStates(t, fmt.Sprintf("%v, %s", shape, c.name), m.Rows, m.Cols, c.settings, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
				if p == nil {
					return lnmu.Factor(t.Context(), m, c.rank, c.method, s)
				}
				return lnmu.Factor(t.Context(), share(m, p), c.rank, c.method, s)
			})
		}
		compareStates(t, fmt.Sprintf("%v, given", shape), m.Rows, m.Cols, lnmu.Settings{Iterations: 3}, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
			if p == nil {
				return lnmu.FactorFrom(t.Context(), m, v, w, lnmu.GNMU{}, s)
			}
			v, w := startOf(v, w, p)
			return lnmu.FactorFrom(t.Context(), share(m, p), v, w, lnmu.GNMU{}, s)
		})
	}
	for _, shape := range [][3]int{{900, 60, 30000}, {600, 900, 30000}} {
		m := scattered[float32](shape[0], shape[1], shape[2])
		for _, c := range []run{sparseRuns[1], sparseRuns[2], sparseRuns[4], sparseRuns[6]} {
			compareStates(t, fmt.Sprintf("sparse %v, %s", shape, c.name), m.Rows, m.Cols, c.settings, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float32], error) {
				if p == nil {
					return lnmu.Factor(t.Context(), m, c.rank, c.method, s)
				}
				return lnmu.Factor(t.Context(), shareSparse(m, p), c.rank, c.method, s)
			})
		}
	}
}

func compareStates[T lnmu.Float](t *testing.T, name string, m, n int, settings lnmu.Settings, factor cut[T]) {
	t.Helper()
	settings.Restarts = cmp.Or(settings.Restarts, 1)
	settings.Threads = 1 // side by side, restarts are in other places of a state
	one := settings
	want := states(&one)
	whole, err := factor(nil, &one)
	if err != nil {
		t.Fatal(err)
	}
	var got *[][]byte
	parts := inParts(t, 3, &settings, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[T], error) {
		if p.Rank() == 0 {
			got = states(s)
		}
		return factor(p, s)
	})
	alike(t, name, joined(t, m, n, parts), whole)
	if len(*got) != len(*want) {
		t.Fatalf("%s: %d states, want %d", name, len(*got), len(*want))
	}
	for k, state := range *got {
		if !bytes.Equal(timeless(state), timeless((*want)[k])) {
			t.Fatalf("%s: state %d of %d is another one", name, k+1, len(*got))
		}
		if k%3 != 1 {
			continue
		}
		sizes := []int{0, 2, 5}
		if os.Getenv("NMU_FULL") == "" {
			sizes = sizes[k/3%3:][:1]
		}
		for _, size := range sizes {
			name := fmt.Sprintf("%s, resumed by %d from state %d", name, size, k+1)
			resumed := settings
			resumed.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader(state)}
			if size == 0 {
				res, err := factor(nil, &resumed)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				alike(t, name, res, whole)
				continue
			}
			parts := inParts(t, size, &resumed, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[T], error) {
				s.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader(state)}
				return factor(p, s)
			})
			alike(t, name, joined(t, m, n, parts), whole)
		}
	}
}

// TestProcessesCheckpointBad: a state that one process cannot read ends all, a writer
// that fails ends none, and who writes nothing is not waited for.
func TestProcessesCheckpointBad(t *testing.T) {
	m := positive[float64](700, 6, 3)
	settings := lnmu.Settings{Iterations: 4, Restarts: 1}
	one := settings
	saved := states(&one)
	if _, err := lnmu.Factor(t.Context(), m, 2, lnmu.RNMU{}, &one); err != nil {
		t.Fatal(err)
	}
	for _, damage := range []int{20, len((*saved)[5]) / 2, len((*saved)[5]) - 1} {
		together.Run(3, func(p *together.Process) {
			state := bytes.Clone((*saved)[5])
			if p.Rank() == 1 {
				state[damage] ^= 1
			}
			s := settings
			s.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader(state)}
			_, err := lnmu.Factor(t.Context(), share(m, p), 2, lnmu.RNMU{}, &s)
			if want := []error{lnmu.ErrProcess, lnmu.ErrCheckpoint, lnmu.ErrProcess}[p.Rank()]; !errors.Is(err, want) {
				t.Errorf("byte %d is damaged: process %d: %v", damage, p.Rank(), err)
				runtime.Goexit()
			}
		})
	}

	m = positive[float64](3000, 20, 3) // its state is more than what is buffered
	whole, err := lnmu.Factor(t.Context(), m, 2, lnmu.RNMU{}, &settings)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	parts := factorParts(t, m, 3, &settings, func(p lnmu.Processes, part lnmu.Part[float64], s *lnmu.Settings) (*lnmu.Result[float64], error) {
		if p.Rank() == 0 {
			s.Checkpoint = &lnmu.Checkpoint{Save: func(state io.WriterTo) {
				if calls++; calls%2 == 0 {
					return
				}
				for range calls {
					if _, err := state.WriteTo(&full{left: 50000 * calls}); err == nil {
						t.Error("a full disk takes a state")
					}
				}
			}}
		}
		return lnmu.Factor(t.Context(), part, 2, lnmu.RNMU{}, s)
	})
	alike(t, "full disk", joined(t, m.Rows, m.Cols, parts), whole)
	if calls != 8 {
		t.Errorf("%d states", calls)
	}
}

// full is a writer with little room left.
type full struct{ left int }

func (f *full) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, context.DeadlineExceeded
	}
	return len(b), nil
}
