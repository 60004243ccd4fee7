package bench

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nmu/lnmu"
)

// peerGroup is the group of the measurements of all programs on a problem.
func peerGroup(problem string) string { return "peers, " + problem }

// job returns the work for all programs: the start is random, scaled as in
// equation (scaling). R-NMU scales the start of every factor to the residual,
// which changes nothing: the first V of a factor follows from W alone, and V W
// does not depend on the length of w.
func (p *problem) job(method lnmu.Method, threads, iterations int) Job {
	rng := rand.New(rand.NewPCG(1, 0))
	uniform := func(rows, cols int) *mat.Dense {
		a := mat.NewDense(rows, cols, nil)
		data := a.RawMatrix().Data
		for i := range data {
			data[i] = rng.Float64()
		}
		return a
	}
	v, w := uniform(p.m.Rows, p.rank), uniform(p.rank, p.m.Cols)
	m := mat.NewDense(p.m.Rows, p.m.Cols, nil)
	for i := range p.m.Rows {
		m.SetRow(i, p.m.Row(i))
	}
	var product mat.Dense
	product.Mul(v, w)
	var across, within float64
	for i := range p.m.Rows {
		mi, pi := m.RawRowView(i), product.RawRowView(i)
		for j, x := range pi {
			across += float64(x * mi[j])
			within += float64(x * x)
		}
	}
	v.Scale(math.Sqrt(across/within), v)
	w.Scale(math.Sqrt(across/within), w)
	return Job{Method: method, M: m, V: v, W: w, Iters: iterations, Threads: threads, Type: Float64}
}

// own does a job by this program. The time is that of all of lnmu.Factor, with
// the residual, which the others need not compute.
func (s *session) own(job Job) (Outcome, error) {
	m, v, w := lnmu.FromGonum[float64](job.M), lnmu.FromGonum[float64](job.V), lnmu.FromGonum[float64](job.W)
	took, err := factorOnce(s.ctx, &clock{iterations: job.Iters}, lnmu.Settings{Threads: job.Threads}, func(settings *lnmu.Settings) (*lnmu.Result[float64], error) {
		return lnmu.FactorFrom(s.ctx, m, v, w, job.Method, settings)
	})
	return Outcome{Seconds: took.whole, RelativeError: took.relativeError, Program: "nmu"}, err
}

// peers gives the other programs the same jobs as this one, one after the other
// in every repetition, in float64 with the most threads.
func (s *session) peers() error {
	problems := []*problem{s.problem(problemCBCL), s.problem(problemSwimmer)}
	if problems[0] == nil {
		problems[0] = s.problem(problemDense)
	}
	var installed []Peer
	for _, peer := range Peers() {
		if s.plan.Peers != nil && !slices.Contains(s.plan.Peers, peer.Name()) {
			continue
		}
		s.say("looking for %s", peer.Name())
		_, err := peer.Available(s.ctx)
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if err != nil {
			s.note("%v", strings.TrimPrefix(err.Error(), "bench: "))
			continue
		}
		installed = append(installed, peer)
	}
	for _, p := range problems {
		for _, method := range methods {
			job := p.job(method.Method, s.machine.Threads, s.iterations(p.iterations(method)))
			if err := s.contest(p, job, installed); err != nil {
				return err
			}
		}
	}
	return s.largePeers(installed)
}

// contest runs a job on all programs.
func (s *session) contest(p *problem, job Job, installed []Peer) error {
	type entry struct {
		name  string
		run   func() (Outcome, error)
		times []float64
		last  Outcome
		out   bool // cannot do this job
	}
	entries := []*entry{{name: "nmu", run: func() (Outcome, error) { return s.own(job) }}}
	for _, peer := range installed {
		entries = append(entries, &entry{name: peer.Name(), run: func() (Outcome, error) { return peer.Run(s.ctx, job) }})
	}
	for rep := range s.machine.Repetitions {
		for _, e := range entries {
			if e.out {
				continue
			}
			s.say("%s on %s by %s, repetition %d of %d", nameOf(job.Method), p.name, e.name, rep+1, s.machine.Repetitions)
			out, err := e.run()
			switch {
			case s.ctx.Err() != nil:
				return s.ctx.Err()
			case err != nil && e.name == "nmu":
				return err
			case err != nil:
				e.out = true
				if !errors.Is(err, ErrUnsupported) {
					s.note("%s on %s by %s: %v", nameOf(job.Method), p.name, e.name, err)
				}
			default:
				e.times = append(e.times, out.Seconds)
				e.last = out
			}
		}
	}
	for _, e := range entries {
		if e.out {
			continue
		}
		note := strings.TrimSpace(fmt.Sprintf("%s %s", e.last.Version, e.last.BLAS))
		if e.last.CoreType != "" {
			note += ", OPENBLAS_CORETYPE=" + e.last.CoreType
		}
		if e.name == "nmu" {
			note = iterationText(job.Method, job.Iters)
		}
		s.report.Add(Measurement{
			Group: peerGroup(p.name), Case: caseName(job.Method, job.Type, job.Threads), Series: e.name, Unit: "s",
			Stat: NewStat(e.times), Bytes: int64(p.bytes(job.Type)), RelativeError: e.last.RelativeError, Note: note,
		})
	}
	return nil
}
