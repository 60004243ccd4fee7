package lnmu

import (
	"errors"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"
	"time"
)

// linesOf reads a matrix from memory, and errs after so many reads if that is not 0.
type linesOf[T Float] struct {
	Dense[T]
	reads, errAfter atomic.Int64
	delay           time.Duration
}

var errReader = errors.New("the disk is on fire")

func (r *linesOf[T]) Room(lines int) int { return lines*min(r.Rows, r.Cols) + 3 }

func (r *linesOf[T]) ReadLines(room []T, first, last int) ([]T, error) {
	n := r.reads.Add(1)
	if most := r.errAfter.Load(); most > 0 && n > most {
		return nil, errReader
	}
	time.Sleep(r.delay)
	lines := room[first%4:][:0] // anywhere
	for i := first; i < last; i++ {
		if r.Cols <= r.Rows {
			lines = append(lines, r.Row(i)...)
			continue
		}
		for k := range r.Rows {
			lines = append(lines, r.At(k, i))
		}
	}
	return lines, nil
}

// storedCases are methods with what a stored matrix has of their options.
func storedCases() map[string]Method {
	return map[string]Method{
		"nmf":         NMF{},
		"accelerated": NMF{Solver: SolverAccelerated},
		"gnmu":        GNMU{},
		"gnmu start":  GNMU{Lagrangian{Multipliers: MultipliersStart, Sweeps: 2}},
		"gnmu halved": GNMU{Lagrangian{StepLength: func(k int) float64 { return []float64{1, .5, 1e9, .1, .1, .1, .1, .1}[k%8] }}},
		"rnmu":        RNMU{},
		"blocks":      RNMU{Block: 2},
		"admm 1":      augmentedOf(1, 4, 1),
		"admm 2":      augmentedOf(2, 1, 3),
		"admm":        augmentedOf(0, 4, 2),
	}
}

// smallChunks lets the stores of a test have chunks of at most so many bytes.
func smallChunks(t *testing.T, bytes, slots int) {
	oldBytes, oldSlots := chunkBytes, slotsOfEach
	chunkBytes, slotsOfEach = bytes, slots
	t.Cleanup(func() { chunkBytes, slotsOfEach = oldBytes, oldSlots })
}

// TestStored: a matrix that stays where it is has the factors of one in memory, bit for
// bit, whatever the chunks and threads.
func TestStored(t *testing.T) {
	t.Run("float32", testStored[float32])
	t.Run("float64", testStored[float64])
}

func testStored[T Float](t *testing.T) {
	for name, method := range storedCases() {
		for i, shape := range [][2]int{{1111, 37}, {37, 1111}, {40, 40}, {300, 9}, {700, 3}} {
			m := data[T](shape[0], shape[1], 3)
			s := &Settings{Iterations: 11, Restarts: 2, Seed: 4, Tolerance: 1e-9, CheckEvery: 3, Threads: 2}
			want, err := Factor(t.Context(), m, 3, method, s)
			if err != nil {
				t.Fatal(err)
			}
			for k, chunks := range [][2]int{{1, 2}, {5000, 3}, {chunkBytes, slotsOfEach}} {
				smallChunks(t, chunks[0], chunks[1])
				s := *s
				s.Threads, s.Scratch = 1+(i+k)%4, t.TempDir()
				got, err := Factor(t.Context(), Stored[T]{&linesOf[T]{Dense: m}}, 3, method, &s)
				if err != nil {
					t.Fatalf("%s of %v: %v", name, shape, err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s of %v with %d threads, chunks of %d bytes in %d slots: got error %v, want %v", name, shape, s.Threads, chunks[0], chunks[1], got.RelativeError, want.RelativeError)
				}
				if left, _ := filepath.Glob(filepath.Join(s.Scratch, "*")); left != nil {
					t.Errorf("%s has left %v", name, left)
				}
			}
		}
	}
}
