package bench

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nmu/bench/internal/engine"
	"nmu/bench/internal/machine"
	"nmu/bench/internal/peer"
	"nmu/bench/internal/stat"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/internal/render"
)

// barPeers are the bars of whole jobs: time of a peer over time of this program.
var barPeers = []struct {
	peer    string
	method  string
	problem string
	bar     float64
}{
	{"gonum", subject.NMF, subject.CBCL, 12}, {"gonum", subject.GNMU, subject.CBCL, 9}, {"gonum", subject.RNMU, subject.CBCL, 5.5},
	{"numpy", subject.NMF, subject.CBCL, 3}, {"numpy", subject.GNMU, subject.CBCL, 3.8}, {"numpy", subject.RNMU, subject.CBCL, 9},
	{"scikit-learn", subject.NMF, subject.CBCL, 2.5},
	{"numpy", subject.NMF, subject.Large, 2.5},
}

// newJob returns the work for all programs. The start is random, scaled as in equation
// (scaling). R-NMU scales the start of every factor to the residual. This scaling does not
// change the result: the first column of V follows from the row w alone, and the product is
// independent of the length of w.
func newJob(p *subject.Problem, method subject.Method, threads, iterations int) peer.Job {
	rng := rand.New(rand.NewPCG(1, 0))
	uniform := func(rows, cols int) *mat.Dense {
		a := mat.NewDense(rows, cols, nil)
		data := a.RawMatrix().Data
		for i := range data {
			data[i] = rng.Float64()
		}
		return a
	}
	v, w := uniform(p.M.Rows, p.Rank), uniform(p.Rank, p.M.Cols)
	m := mat.NewDense(p.M.Rows, p.M.Cols, nil)
	for i := range p.M.Rows {
		m.SetRow(i, p.M.Row(i))
	}
	var product mat.Dense
	product.Mul(v, w)
	var across, within float64
	for i := range p.M.Rows {
		mi, pi := m.RawRowView(i), product.RawRowView(i)
		for j, x := range pi {
			across += float64(x * mi[j])
			within += float64(x * x)
		}
	}
	v.Scale(math.Sqrt(across/within), v)
	w.Scale(math.Sqrt(across/within), w)
	return peer.Job{Method: method.Name, Steps: method.Steps(), M: m, V: v, W: w, Iterations: iterations, Threads: threads, Type: machine.Float64}
}

// own runs a job with this program. The time includes the residual, which the other programs
// need not compute.
func (s *session) own(method subject.Method, job peer.Job) (peer.Outcome, error) {
	_, rank := job.V.Dims()
	took, err := engine.Factor(s.ctx, &engine.Clock{Iterations: job.Iterations}, engine.Started(job.M, job.V, job.W), rank, method.Method, job.Threads)
	return peer.Outcome{Seconds: took.Whole, RelativeError: took.RelativeError, Program: "nmu"}, err
}

// measurePeers runs the same jobs with this program and the others, in float64 with all
// threads. The programs take turns in every repetition.
func (s *session) measurePeers() error {
	problems := []*subject.Problem{s.problem(subject.CBCL), s.problem(subject.Swimmer)}
	if problems[0] == nil {
		problems[0] = s.problem(subject.Dense)
	}
	var installed []peer.Peer
	for _, other := range peer.All() {
		if !s.wanted(other.Name()) {
			continue
		}
		s.say("looking for %s", other.Name())
		_, err := other.Available(s.ctx)
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if err != nil {
			s.note("%v", strings.TrimPrefix(err.Error(), "bench: "))
			continue
		}
		installed = append(installed, other)
	}
	for _, p := range problems {
		for _, method := range subject.Methods {
			if err := s.compare(p, method, installed); err != nil {
				return err
			}
		}
	}
	p, err := s.large(subject.Large)
	if err != nil {
		return err
	}
	nmf, err := subject.MethodByName(subject.NMF)
	if err != nil {
		return err
	}
	return s.compare(p, nmf, installed)
}

// compare runs a method on a problem with all programs.
func (s *session) compare(p *subject.Problem, method subject.Method, installed []peer.Peer) error {
	job := newJob(p, method, s.opts.Threads, s.iterations(p.Iterations(method)))
	type entry struct {
		name  string
		run   func() (peer.Outcome, error)
		times []float64
		last  peer.Outcome
		out   bool // cannot do this job
	}
	entries := []*entry{{name: "nmu", run: func() (peer.Outcome, error) { return s.own(method, job) }}}
	for _, other := range installed {
		entries = append(entries, &entry{name: other.Name(), run: func() (peer.Outcome, error) { return other.Run(s.ctx, job) }})
	}
	for rep := range s.opts.Repetitions {
		for _, e := range entries {
			if e.out {
				continue
			}
			s.say("%s on %s by %s, repetition %d of %d", job.Method, p.Name, e.name, rep+1, s.opts.Repetitions)
			out, err := e.run()
			switch {
			case s.ctx.Err() != nil:
				return s.ctx.Err()
			case err != nil && e.name == "nmu":
				return err
			case err != nil:
				e.out = true
				if !errors.Is(err, peer.ErrUnsupported) {
					s.note("%s on %s by %s: %v", job.Method, p.Name, e.name, err)
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
			note = method.IterationText(job.Iterations)
		}
		s.report.Add(report.Measurement{
			Group: report.PeerGroup(p.Name), Case: report.CaseName(job.Method, job.Type, job.Threads), Series: e.name, Unit: "s",
			Stat: stat.New(e.times), Bytes: int64(p.Bytes(job.Type)), RelativeError: e.last.RelativeError, Note: note,
		})
	}
	return nil
}

// checkPeers compares whole jobs of other programs with this program.
func (c *checker) checkPeers() {
	for _, b := range barPeers {
		group := report.PeerGroup(b.problem)
		name := report.CaseName(b.method, machine.Float64, c.report.Threads) // the same for all
		k := report.Check{
			Name: fmt.Sprintf("peer/%s/%s/%s/%s/%d", b.peer, b.method, b.problem, machine.Float64, c.report.Threads),
			What: fmt.Sprintf("%s, %s, float64, threads=%d: %s over nmu", b.method, b.problem, c.report.Threads, b.peer), Unit: "x", Bar: b.bar,
		}
		ours, ok := c.Find(group, name)
		theirs, also := c.FindBy(group, name, b.peer)
		if !ok || !also || theirs.Median <= 0 {
			c.missing(k, c.absent(b.peer))
			continue
		}
		k.Value = theirs.Over(ours.Stat)
		k.Note = fmt.Sprintf("%s and %s s; relative errors %.4f and %.4f %%; %s",
			render.Number(theirs.Median), render.Number(ours.Median), 100*theirs.RelativeError, 100*ours.RelativeError, theirs.Note)
		if m, ok := c.Find(report.IterationGroup(b.problem), name); ok && m.Limit > 0 {
			k.Note += fmt.Sprintf("; %s x if every iteration took no longer than its limit", render.Number(k.Value/m.LimitShare()))
		}
		c.add(k)
	}
}
