// Package checkpoints tests that an interrupted run goes on to the same result, and that damaged
// checkpoints are refused.
package checkpoints

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"
	"unsafe"

	"nmu/internal/golden"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// broken is a configuration that is broken off and resumed.
type broken struct {
	name     string
	method   lnmu.Method
	settings lnmu.Settings
	known    func(s *lnmu.Settings, o *observed, m, n int) // sets what has the shape of the matrix
	stored   bool                                          // what is not stored is missing
	sparse   bool
	from     bool // a given start
	supports bool // Improve
	revives  bool // factors vanish and are drawn again
}

// brokenCases are the recorded configurations and those that take ways of their own.
func brokenCases() (all []broken) {
	for _, c := range golden.Cases() {
		if c.Gaps { // below, in more ways
			continue
		}
		all = append(all, broken{name: c.Method.Describe().Name + " " + c.Also, method: c.Method, settings: lnmu.Settings{Init: c.Init}})
		sparse := broken{name: c.Method.Describe().Name + " sparse " + c.Also, method: c.Method, sparse: true}
		if _, err := factor[float64](context.Background(), sparse, 5, 4, 1, nil); c.Init == "" && !errors.Is(err, lnmu.ErrOption) {
			all = append(all, sparse)
		}
	}
	long := lnmu.Lagrangian{StepLength: func(int) float64 { return 30 }} // factors vanish, and come back
	all = append(all,
		broken{name: "rnmu by 2", method: lnmu.RNMU{Block: 2}},
		broken{name: "rnmu by 2 sparse", method: lnmu.RNMU{Block: 2}, sparse: true},
		broken{name: "rnmu svd", method: lnmu.RNMU{}, settings: lnmu.Settings{Init: lnmu.InitSVD}},
		broken{name: "rnmu nested", method: lnmu.RNMU{}, settings: lnmu.Settings{Init: lnmu.InitNested}},
		broken{name: "gnmu vanishing", method: lnmu.GNMU{Lagrangian: long}},
		broken{name: "gnmu vanishing sparse", method: lnmu.GNMU{Lagrangian: long}, sparse: true},
		broken{name: "rnmu vanishing", method: lnmu.RNMU{Lagrangian: long}},
		broken{name: "rnmu l1 vanishing", method: lnmu.RNMU{Lagrangian: long, Norm: lnmu.L1}},
		broken{name: "rnmu admm, rho 8", method: lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM, Rho: 8, ResidualTolerance: 1e-9}}, settings: lnmu.Settings{Iterations: 33}},
		broken{name: "rnmu admm, rho 8, sparse", method: lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM, Rho: 8, ResidualTolerance: 1e-9}}, settings: lnmu.Settings{Iterations: 33}, sparse: true},
		broken{name: "snmf vanishing", method: lnmu.SNMF{SparsityV: 0.99, SparsityW: 0.99}, settings: lnmu.Settings{Iterations: 90}, revives: true},
		broken{name: "snmf fixed", method: lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.2, L2V: 0.3}},
		broken{name: "hoyer both", method: lnmu.Hoyer{SparsenessV: 0.6, SparsenessW: 0.5}},
		broken{name: "kl", method: lnmu.KL{L2V: 0.3, L2W: 0.2}}, broken{name: "kl coordinate", method: lnmu.KL{Solver: lnmu.SolverCoordinate}}, broken{name: "kl coordinate sparse", method: lnmu.KL{Solver: lnmu.SolverCoordinate}, sparse: true},
		broken{name: "kl sparse", method: lnmu.KL{PenaltyV: 0.1, PenaltyW: 0.2, L2V: 0.3}, sparse: true},
		broken{name: "accelerated, many", method: lnmu.NMF{Solver: lnmu.SolverAccelerated}, settings: lnmu.Settings{Iterations: 60}},
		broken{name: "nmf from", method: lnmu.NMF{}, from: true},
		broken{name: "rnmu from", method: lnmu.RNMU{}, from: true},
		broken{name: "supports", method: lnmu.NMF{}, from: true, supports: true},
		broken{name: "tolerance", method: lnmu.NMF{}, settings: lnmu.Settings{Tolerance: 1e-3, CheckEvery: 3, Iterations: 40}},
		broken{name: "tolerance of blocks", method: lnmu.RNMU{}, settings: lnmu.Settings{Tolerance: 1e-2, CheckEvery: 3, Iterations: 40}},
		broken{name: "target", method: lnmu.RNMU{}, settings: lnmu.Settings{TargetError: 0.5}},
		broken{name: "restarts", method: lnmu.NMF{}, settings: lnmu.Settings{Restarts: 3}},
		broken{name: "restarts of blocks", method: lnmu.RNMU{}, settings: lnmu.Settings{Restarts: 3}},
		broken{name: "nmf missing", method: lnmu.NMF{}, known: missing},
		broken{name: "nmf missing, hals", method: lnmu.NMF{Solver: lnmu.SolverHALS}, known: missing},
		broken{name: "nmf missing, exact", method: lnmu.NMF{}, settings: lnmu.Settings{MissingSolver: lnmu.MissingExact}, known: missing},
		broken{name: "snmf missing", method: lnmu.SNMF{SparsityV: 0.5}, known: missing},
		broken{name: "gnmu missing", method: lnmu.GNMU{}, known: missing},
		broken{name: "gnmu missing, admm", method: lnmu.GNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM}}, known: missing},
		broken{name: "rnmu missing", method: lnmu.RNMU{}, known: missing},
		broken{name: "rnmu missing, admm", method: lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM}}, known: missing},
		broken{name: "rnmu weighted", method: lnmu.RNMU{}, known: weighted},
		broken{name: "nmf weighted", method: lnmu.NMF{}, known: weighted},
		broken{name: "rnmu sparse missing", method: lnmu.RNMU{}, stored: true, sparse: true},
		broken{name: "gnmu sparse missing", method: lnmu.GNMU{}, stored: true, sparse: true},
		broken{name: "nmf fixed V", method: lnmu.NMF{}, known: fixedV},
		broken{name: "rnmu fixed V", method: lnmu.RNMU{}, known: fixedV},
		broken{name: "gnmu baseline", method: lnmu.GNMU{}, settings: lnmu.Settings{Fixed: lnmu.Fixed{Baseline: true}}},
		broken{name: "rnmu both penalties", method: lnmu.RNMU{Priors: lnmu.Priors{PenaltyV: 0.1, SparsityV: 0.5, PenaltyW: 0.9}}},
		broken{name: "snmf vanishing sparse", method: lnmu.SNMF{SparsityV: 0.99, SparsityW: 0.99}, settings: lnmu.Settings{Iterations: 90}, sparse: true, revives: true},
		broken{name: "snmf accelerated sparse", method: lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.2, L2W: 0.3, Solver: lnmu.SolverAccelerated}, sparse: true},
		broken{name: "rnmu svd sparse", method: lnmu.RNMU{}, settings: lnmu.Settings{Init: lnmu.InitSVD}, sparse: true},
		broken{name: "rnmu fixed V sparse", method: lnmu.RNMU{}, known: fixedV, sparse: true},
		broken{name: "gnmu baseline sparse", method: lnmu.GNMU{}, settings: lnmu.Settings{Fixed: lnmu.Fixed{Baseline: true}}, sparse: true},
		broken{name: "restarts sparse", method: lnmu.RNMU{}, settings: lnmu.Settings{Restarts: 3}, sparse: true},
	)
	return all
}

// missing leaves out every fifth entry.
func missing(_ *lnmu.Settings, o *observed, m, n int) {
	o.mask = lnmu.NewMask(m, n)
	for at := 0; at < m*n; at += 5 {
		o.mask.Set(at/n, at%n, false)
	}
}

// weighted gives the entries weights from 0 to 4.
func weighted(_ *lnmu.Settings, o *observed, m, n int) {
	w := lnmu.NewDense[float64](m, n, nil)
	for at := range w.Data {
		w.Data[at] = float64(at % 5)
	}
	o.weights = w
}

// fixedV fixes a column of V.
func fixedV(s *lnmu.Settings, _ *observed, m, _ int) {
	s.Fixed.V = lnmu.NewDense[float64](m, 1, nil)
	for i := range m {
		s.Fixed.V.Data[i] = float64(i%3) / 4
	}
}

// factor runs a configuration on an m x n matrix.
func factor[T lnmu.Float](ctx context.Context, c broken, m, n, threads int, checkpoint *lnmu.Checkpoint) (*lnmu.Result[T], error) {
	const rank = 3
	rng := rand.New(rand.NewPCG(5, uint64(m)))
	x := lnmu.NewDense[T](m, n, nil)
	for i := range x.Data {
		x.Data[i] = T(max(0, rng.Float64()-0.3))
	}
	v, w := lnmu.NewDense[T](m, rank, nil), lnmu.NewDense[T](rank, n, nil)
	for _, d := range [][]T{v.Data, w.Data} {
		for i := range d {
			d[i] = T(max(0, rng.Float64()-0.2))
		}
	}
	s := c.settings
	s.Threads, s.Checkpoint = threads, checkpoint
	if s.Iterations == 0 {
		s.Iterations = 6
	}
	if s.Restarts == 0 && !c.from {
		s.Restarts = 1
	}
	s.Seed = 3
	seen := observed{storedOnly: c.stored}
	if c.known != nil {
		c.known(&s, &seen, m, n)
	}
	if r, ok := c.method.(lnmu.RNMU); ok && r.SmoothV > 0 { // that of a recorded configuration
		r.ShapeV = lnmu.Shape{Height: 7, Width: m / 7}
		c.method = r
	}
	of := lnmu.Observed[T]{Matrix: x, Mask: seen.mask, Weights: seen.weights, StoredOnly: seen.storedOnly}
	if c.sparse {
		of.Matrix = lnmu.NewCSR(x)
	}
	switch {
	case c.supports:
		return lnmu.Improve(ctx, of, v, w, lnmu.NMF{}, &s)
	case c.from:
		return lnmu.FactorFrom(ctx, of, v, w, c.method, &s)
	}
	return lnmu.Factor(ctx, of, rank, c.method, &s)
}

// observed is what is observed of a matrix.
type observed struct {
	mask       *lnmu.Mask
	weights    lnmu.Matrix[float64]
	storedOnly bool
}

// keepAll returns a checkpoint that keeps the states of a run.
func keepAll(t *testing.T, to *[][]byte) *lnmu.Checkpoint {
	return &lnmu.Checkpoint{Note: []byte("note"), Save: func(state io.WriterTo) {
		var b bytes.Buffer
		if n, err := state.WriteTo(&b); err != nil || n != int64(b.Len()) {
			t.Errorf("%d bytes, said to be %d: %v", b.Len(), n, err)
		}
		*to = append(*to, b.Bytes())
	}}
}

// A run that is broken off at any iteration, and resumed with any number of threads,
// ends with the same bits.
func TestResumeEverywhere(t *testing.T) {
	t.Run("float64", resumeEverywhere[float64])
	t.Run("float32", resumeEverywhere[float32])
}

func resumeEverywhere[T lnmu.Float](t *testing.T) {
	cases := brokenCases()
	turns := lnmutest.Rotate(len(cases), 2, int(unsafe.Sizeof(T(0))/4))
	for at, c := range cases {
		for i, shape := range [][2]int{{203, 7}, {7, 203}} {
			if !turns.Takes(at, i) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%dx%d", c.name, shape[0], shape[1]), func(t *testing.T) {
				t.Parallel()
				m, n := shape[0], shape[1]
				want, err := factor[T](t.Context(), c, m, n, 1, nil)
				if err != nil {
					t.Fatal(err)
				}
				if c.revives && want.Revived == 0 {
					t.Error("no factor vanished")
				}
				for threads := 1; threads <= 2; threads++ {
					var states [][]byte
					got, err := factor[T](t.Context(), c, m, n, threads, keepAll(t, &states))
					if err != nil || !reflect.DeepEqual(got, want) {
						t.Fatalf("saving changes the result with %d threads: %v", threads, err)
					}
					least := 0
					for _, b := range want.Blocks {
						least = max(least, b.Iterations-1)
					}
					if threads > 1 && c.settings.Restarts > 1 {
						least = min(least, 1) // restarts side by side wait for each other's states
					}
					if len(states) < least {
						t.Fatalf("%d states", len(states))
					}
					// Of a long run some states, so that the time does not grow with the square.
					most := 30
					if os.Getenv("NMU_FULL") == "" {
						most = 4
					}
					every := max(1, len(states)/most)
					for i := 0; i < len(states); i += every {
						state := states[i]
						if note, err := (lnmu.Checkpoint{Resume: bytes.NewReader(state)}).ReadNote(); err != nil || string(note) != "note" {
							t.Fatalf("state %d: %q, %v", i, note, err)
						}
						got, err := factor[T](t.Context(), c, m, n, 3-threads, &lnmu.Checkpoint{Resume: bytes.NewReader(state)})
						if err != nil {
							t.Fatalf("state %d of %d: %v", i, len(states), err)
						}
						if !reflect.DeepEqual(got, want) {
							t.Fatalf("state %d of %d leads to another result", i, len(states))
						}
					}
				}
			})
		}
	}
}

// A run that is broken off again after each iteration comes to its end.
func TestResumeAgain(t *testing.T) {
	for _, c := range brokenCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want, err := factor[float64](t.Context(), c, 203, 7, 2, nil)
			if err != nil {
				t.Fatal(err)
			}
			var state []byte
			for runs := 0; ; runs++ {
				ctx, cancel := context.WithCancel(t.Context())
				point := &lnmu.Checkpoint{Save: func(s io.WriterTo) {
					var b bytes.Buffer
					if _, err := s.WriteTo(&b); err == nil {
						state = b.Bytes()
					}
					cancel()
				}}
				if state != nil {
					point.Resume = bytes.NewReader(state)
				}
				got, err := factor[float64](ctx, c, 203, 7, 1+runs%3, point)
				cancel()
				if errors.Is(err, context.Canceled) && runs < 2000 {
					continue
				}
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("another result after %d runs: %v", runs, err)
				}
				return
			}
		})
	}
}
