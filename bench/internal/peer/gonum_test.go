package peer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/bench/internal/machine"
)

// randomJob has a small random M and start.
func randomJob(method string, m, n, r int) Job {
	rng := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	fill := func(rows, cols int) *mat.Dense {
		d := mat.NewDense(rows, cols, nil)
		for i := range rows {
			for j := range cols {
				d.Set(i, j, rng.Float64())
			}
		}
		return d
	}
	return Job{Method: method, Steps: 2, M: fill(m, n), V: fill(m, r), W: fill(r, n), Iterations: 12, Threads: 1, Type: machine.Float64}
}

// literal runs j as the paper writes it, element by element, and returns V, W.
func literal(j Job) (v, w [][]float64) {
	m, n := j.M.Dims()
	_, r := j.V.Dims()
	grid := func(rows, cols int, at func(i, j int) float64) [][]float64 {
		g := make([][]float64, rows)
		for i := range g {
			g[i] = make([]float64, cols)
			for j := range g[i] {
				g[i][j] = at(i, j)
			}
		}
		return g
	}
	zero := func(int, int) float64 { return 0 }
	hals := func(N, V, W [][]float64) {
		r := len(W)
		A := grid(m, r, func(i, k int) (s float64) {
			for j := range n {
				s += N[i][j] * W[k][j]
			}
			return s
		})
		B := grid(r, r, func(k, l int) (s float64) {
			for j := range n {
				s += W[k][j] * W[l][j]
			}
			return s
		})
		for k := range r {
			for i := range m {
				s := A[i][k]
				for l := range r {
					if l != k {
						s -= V[i][l] * B[l][k]
					}
				}
				V[i][k] = math.Max(0, s/B[k][k])
			}
		}
		C := grid(r, n, func(k, j int) (s float64) {
			for i := range m {
				s += V[i][k] * N[i][j]
			}
			return s
		})
		D := grid(r, r, func(k, l int) (s float64) {
			for i := range m {
				s += V[i][k] * V[i][l]
			}
			return s
		})
		for k := range r {
			for j := range n {
				s := C[k][j]
				for l := range r {
					if l != k {
						s -= D[k][l] * W[l][j]
					}
				}
				W[k][j] = math.Max(0, s/D[k][k])
			}
		}
	}
	lagrangian := func(M, V, W [][]float64) {
		L := grid(m, n, zero)
		for k := 1; k <= j.Iterations; k++ {
			N := grid(m, n, func(i, j int) float64 { return M[i][j] - L[i][j] })
			for range j.Steps {
				hals(N, V, W)
			}
			for i := range m {
				for j := range n {
					vw := 0.0
					for l := range W {
						vw += V[i][l] * W[l][j]
					}
					L[i][j] = math.Max(0, L[i][j]-(M[i][j]-vw)/float64(k))
				}
			}
		}
	}
	M := grid(m, n, j.M.At)
	v, w = grid(m, r, j.V.At), grid(r, n, j.W.At)
	switch j.Method {
	case NMF:
		for range j.Iterations {
			hals(M, v, w)
		}
	case GNMU:
		lagrangian(M, v, w)
	case RNMU:
		for f := range r {
			x := grid(m, 1, func(i, _ int) float64 { return v[i][f] })
			y := [][]float64{w[f]}
			lagrangian(M, x, y)
			for i := range m {
				v[i][f] = x[i][0]
				for j := range n {
					M[i][j] = math.Max(0, M[i][j]-x[i][0]*y[0][j])
				}
			}
		}
	default:
		panic(fmt.Sprintf("no literal form of %s", j.Method))
	}
	return v, w
}

// literalError is the relative error of literal.
func literalError(j Job) float64 {
	v, w := literal(j)
	m, n := j.M.Dims()
	var num, den float64
	for i := range m {
		for k := range n {
			d := j.M.At(i, k)
			den += d * d
			for l := range w {
				d -= v[i][l] * w[l][k]
			}
			num += d * d
		}
	}
	return math.Sqrt(num / den)
}

func TestGonumAgainstLiteral(t *testing.T) {
	for _, method := range []string{NMF, GNMU, RNMU} {
		for _, s := range [][3]int{{9, 14, 3}, {17, 5, 4}, {6, 6, 1}} {
			job := randomJob(method, s[0], s[1], s[2])
			v, w := mat.DenseCopyOf(job.V), mat.DenseCopyOf(job.W)
			out, err := Gonum{}.Run(context.Background(), job)
			if err != nil {
				t.Fatal(err)
			}
			if !mat.Equal(v, job.V) || !mat.Equal(w, job.W) {
				t.Errorf("%s changed its job", method)
			}
			// The orders of summation differ, so a few roundings.
			if want := literalError(job); math.Abs(out.RelativeError-want) > 1e-11 {
				t.Errorf("%s %v: relative error %.15g, want %.15g", method, s, out.RelativeError, want)
			}
			if !(out.Seconds > 0) {
				t.Errorf("%s: %g seconds", method, out.Seconds)
			}
		}
	}
}

// TestGonumZero has a zero row and column in M, and zero columns of V and W.
func TestGonumZero(t *testing.T) {
	for _, method := range []string{NMF, GNMU, RNMU} {
		job := randomJob(method, 8, 11, 3)
		for i := range 8 {
			job.M.Set(i, 4, 0)
		}
		for k := range 11 {
			job.M.Set(2, k, 0)
			job.W.Set(1, k, 0)
		}
		for i := range 8 {
			job.V.Set(i, 1, 0)
		}
		out, err := Gonum{}.Run(context.Background(), job)
		if err != nil || math.IsNaN(out.RelativeError) || out.RelativeError >= 1 {
			t.Errorf("%s: %+v, %v", method, out, err)
		}
	}
}

func TestGonumThreads(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	job := randomJob(NMF, 5, 6, 2)
	job.Threads = before + 1
	if _, err := (Gonum{}).Run(context.Background(), job); err != nil {
		t.Fatal(err)
	}
	if after := runtime.GOMAXPROCS(0); after != before {
		t.Errorf("GOMAXPROCS is %d, was %d", after, before)
	}
}

func TestGonumStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, method := range []string{NMF, GNMU, RNMU} {
		if _, err := (Gonum{}).Run(ctx, randomJob(method, 4, 5, 2)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", method, err, context.Canceled)
		}
	}
}

func TestBadJobs(t *testing.T) {
	for name, spoil := range map[string]func(*Job){
		"method":  func(j *Job) { j.Method = "" },
		"another": func(j *Job) { j.Method = "hoyer" },
		"no M":    func(j *Job) { j.M = nil },
		"empty V": func(j *Job) { j.V = &mat.Dense{} },
		"shapes":  func(j *Job) { j.V = mat.NewDense(3, 2, nil) },
		"iters":   func(j *Job) { j.Iterations = -1 },
		"steps":   func(j *Job) { j.Steps = 0 },
		"threads": func(j *Job) { j.Threads = 0 },
		"type":    func(j *Job) { j.Type = "int8" },
	} {
		job := randomJob(GNMU, 4, 5, 2)
		spoil(&job)
		for _, p := range All() {
			if _, err := p.Run(context.Background(), job); !errors.Is(err, machine.ErrOption) {
				t.Errorf("%s, %s: error %v, want machine.ErrOption", p.Name(), name, err)
			}
		}
	}
	job := randomJob(NMF, 4, 5, 2)
	job.Type = machine.Float32
	if _, err := (Gonum{}).Run(context.Background(), job); !errors.Is(err, ErrUnsupported) {
		t.Errorf("gonum in float32: error %v, want ErrUnsupported", err)
	}
}

func ExampleGonum() {
	m := mat.NewDense(2, 3, []float64{1, 2, 3, 2, 4, 6}) // rank one
	job := Job{
		Method: RNMU, Steps: 2, M: m, V: mat.NewDense(2, 1, []float64{1, 1}), W: mat.NewDense(1, 3, []float64{1, 1, 1}),
		Iterations: 10, Threads: 1, Type: machine.Float64,
	}
	out, err := Gonum{}.Run(context.Background(), job)
	fmt.Printf("%.3f %v\n", out.RelativeError, err)
	// Output: 0.000 <nil>
}
