package lnmu

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"nmu/lnmu/internal/tree"
)

// Processes are those that factor one matrix together, each of them a part of it: as
// many programs, on one machine or on several, that call Factor at the same time with
// the same arguments but for M, of which each has its own part. See Settings.Processes.
//
// All methods are called in the same order by the processes that take part in them,
// from one goroutine.
type Processes interface {
	Rank() int // number of this process, from 0
	Size() int // number of processes

	// Exchange sends a message to a partner and receives one of exactly len(receive)
	// bytes from it; either may be empty, and then there is none. It does not return
	// if it fails: it ends the process.
	Exchange(partner int, send, receive []byte)

	// Broadcast makes data what it is in process 0, in all of them.
	Broadcast(data []byte)
}

// Part says which part of M a process has, of the longer side of M: rows if M has as
// many rows as columns or more, else columns. It must be that of Share.
type Part struct {
	First, Whole int  // its first row or column, and their number in M as a whole
	Columns      bool // M is wide: the part has columns of it
}

// Share returns the rows of an m x n matrix, if m >= n, or else its columns, that a
// process has: those from first to last-1. They are whole slabs, of some hundred rows
// or columns each, so that of many processes some have none. Process 0 has at least one.
// There is nothing for a process that is not from 0 to size-1.
func Share(m, n, rank, size int) (first, last int) {
	length := max(m, n)
	if length < 1 || rank < 0 || rank >= size {
		return 0, 0
	}
	each, count := slabs(length)
	cuts := tree.Cuts(count, size)
	return min(cuts[rank]*each, length), min(cuts[rank+1]*each, length)
}

// holding is what one of several processes has of the slabs of a problem, and how all of
// them add up what theirs come to: along the tree over all slabs, as one process does.
// The sums of nodes that one process has are sent to whoever has the other half of the
// node above, so that the sum of all is there in process 0, which sends it to all:
//
//	process     0         1         2
//	slab     0   1   2 | 3   4 | 5   6
//	         +-+-+   |   |   |   |   |
//	          0 1    +<--3   4   +-+-+
//	           +--+--+       |    5 6
//	              |          |     |
//	              |          +     |     (4 5) is split: 5 is sent on its own
//
// A nil holding is that of one process, which has all.
type holding struct {
	Processes
	cuts        []int       // the first slab of each process, and the number of slabs
	slabs       int         // of all processes
	first, last int         // those of this one
	nodes       []tree.Node // the largest nodes that these make up
	steps       []tree.Step // by which all of them are added up
	doubles     bool        // after which all have the sum
	root        int         // else who has slab 0, and so the sum
	with        *company    // to which the first process says something with every sum of a pass, or nil
}

// newHolding returns the share of a process if process p has the slabs from cuts[p] to
// cuts[p+1]-1.
func newHolding(p Processes, cuts []int) *holding {
	rank, slabs := p.Rank(), cuts[len(cuts)-1]
	first, last := cuts[rank], cuts[rank+1]
	return &holding{
		Processes: p, cuts: cuts, slabs: slabs, first: first, last: last,
		nodes: tree.Cover(slabs, first, last, slabs), steps: tree.Steps(cuts, rank), doubles: tree.Doubles(cuts),
		root: slices.IndexFunc(cuts, func(cut int) bool { return cut > 0 }) - 1,
	}
}

// spread makes the sum that the root has that of all, if it is not.
func (h *holding) spread(sum []byte) {
	if !h.doubles {
		h.toFirst(sum)
		h.Broadcast(sum)
	}
}

// toFirst makes the sum that the root has that of process 0.
func (h *holding) toFirst(sum []byte) {
	switch {
	case h.root == 0:
	case h.Rank() == h.root:
		h.Exchange(0, sum, nil)
	case h.Rank() == 0:
		h.Exchange(h.root, nil, sum)
	}
}

// holdingOf returns the share of the slabs of so many rows, nil without processes.
func holdingOf(p Processes, rows int) *holding {
	if p == nil {
		return nil
	}
	_, count := slabs(rows)
	return newHolding(p, tree.Cuts(count, p.Size()))
}

// sumOver returns the sum over all slabs of terms, which are those of a share.
func sumOver[E any](h *holding, terms []E, add func(a, b E) E) (sum E) {
	if h == nil {
		return tree.Sum(terms, add)
	}
	sums := make([]E, max(len(h.nodes), 1)) // a process without slabs waits for the whole
	for k, n := range h.nodes {
		sums[k] = tree.Sum(terms[n.First-h.first:n.Last-h.first], add)
	}
	for _, step := range h.steps {
		switch to := &sums[step.Node]; step.Kind {
		case tree.Add:
			*to = add(*to, sums[step.Other])
		case tree.Send:
			h.Exchange(step.Partner, bytesOf(to), nil)
		case tree.Receive:
			var other E
			h.Exchange(step.Partner, nil, bytesOf(&other))
			*to = add(*to, other)
		case tree.Swap:
			var other E
			h.Exchange(step.Partner, bytesOf(to), bytesOf(&other))
			*to = add(*to, other)
		}
	}
	h.spread(bytesOf(&sums[0]))
	return sums[0]
}

// anyOver reports whether anything was found in a slab of any process.
func anyOver(h *holding, found []bool) bool {
	return sumOver(h, found, func(a, b bool) bool { return a || b })
}

// bytesOf is the memory of x, which holds no pointers.
func bytesOf[E any](x *E) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(x)), unsafe.Sizeof(*x))
}

// memoryOf is the memory of elements that hold no pointers.
func memoryOf[E any](x []E) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}

// processesOf returns those of settings that may be nil.
func processesOf(s *Settings) Processes {
	if s == nil {
		return nil
	}
	return s.Processes
}

// forProcesses refuses what is not for several processes.
func (p plan) forProcesses(s Settings) error {
	d := p.method.Describe()
	const what = "on a matrix of which processes have parts"
	switch {
	case s.Processes == nil && s.Part != Part{}:
		return bad("a part of M (Settings.Part) without Settings.Processes; leave it out")
	case s.Processes == nil:
	case !d.Distributed:
		return bad("method %s %s; choose %s, or one process", d.Name, what, names(func(d Description) bool { return d.Distributed }))
	case p.norm == L1:
		return bad("norm l1 %s; choose l2, or one process", what)
	case p.priors.any():
		return bad("penalties, target sparsities or smoothness %s; leave them out, or choose one process", what)
	case p.lagrange.Feasible != "":
		return bad("feasible %s %s; leave it out, or choose one process", p.lagrange.Feasible, what)
	case s.incomplete():
		return bad("missing entries or weights %s; leave them out, or choose one process", what)
	case s.Fixed.any():
		return bad("fixed factors or a baseline %s; leave them out, or choose one process", what)
	case s.Init == InitSVD:
		return bad("start svd %s; choose random, nested or given, or one process", what)
	}
	return nil
}

// company is the processes that have parts of one job, and what the first one has
// decided last. It says so in a word, which comes with the sums of a pass, as a message
// of its own would cost every step its latency.
type company struct {
	Processes
	stop  Stop // why the work is over, or ""
	show  bool // progress
	due   bool // a checkpoint
	word  []byte
	say   func() byte // the word of this process now: 0 but of the first one
	holds int         // how many questions the last word answers: after a step, and before the next iteration

	saves     bool      // there are checkpoints
	startSums [2]string // then the hashes of a given start
}

func companyOf(p Processes) *company {
	if p == nil {
		return nil
	}
	return &company{Processes: p, word: make([]byte, 1)}
}

// holdsFor is how many questions whether the work is over may follow on a pass.
const holdsFor = 2

// What the first process says.
const (
	sayCancelled = 1 << iota
	sayTime
	sayShow
	sayDue
)

// errEnded is why a process has ended that was not told to.
var errEnded = fmt.Errorf("%w: process 0 was told to end", ErrProcess)

// say returns the word of a process.
func (j *job[T]) say() (word byte) {
	if j.with.Rank() > 0 {
		return 0
	}
	switch stop, _ := j.cut(); stop {
	case StopCancelled:
		word |= sayCancelled
	case StopTime:
		word |= sayTime
	}
	if j.showing(time.Now()) {
		word |= sayShow
	}
	if j.Checkpoint != nil && j.Checkpoint.Save != nil && !time.Now().Before(j.due) {
		word |= sayDue
	}
	return word
}

// hear takes note of the word of the first process.
func (c *company) hear(word byte) {
	c.show, c.due, c.stop = word&sayShow != 0, word&sayDue != 0, ""
	switch {
	case word&sayCancelled != 0:
		c.stop = StopCancelled
	case word&sayTime != 0:
		c.stop = StopTime
	}
}

// interrupted is that of a job: what was heard with the sums of the last pass, or what
// the first process says now if there was none.
func (c *company) interrupted() (Stop, bool) {
	if c.holds == 0 {
		c.word[0] = c.say()
		c.Broadcast(c.word)
		c.hear(c.word[0])
	} else {
		c.holds--
	}
	return c.stop, c.stop != ""
}

// done takes note that what was due, or to be shown, is so no more. That has taken time.
func (c *company) done(what *bool) { *what, c.holds = false, 0 }

// saying returns the word that goes with a sum, a number of it.
func (h *holding) saying() byte {
	if h.with == nil {
		return 0
	}
	return h.with.say()
}

// hearing takes the word that has come with the sum.
func (h *holding) hearing(word byte) {
	if h.with != nil {
		h.with.hear(word)
		h.with.holds = holdsFor
	}
}

// alike returns an error unless the first process has the same method and settings.
func (j *job[T]) alike() error {
	if j.with == nil {
		return nil
	}
	var own, first struct {
		sum   [sha256.Size]byte
		saves bool
	}
	own.sum = sha256.Sum256(fmt.Appendf(nil, "%srecord %v, resumed %v", j.run(), j.Record, j.Checkpoint != nil && j.Checkpoint.Resume != nil))
	own.saves = j.Checkpoint != nil
	first = own
	j.with.Broadcast(bytesOf(&first))
	j.with.saves = first.saves
	if first.sum != own.sum {
		return bad("process %d has another method or other settings than process 0; give all processes the same", j.with.Rank())
	}
	return nil
}

// agree returns an error in all processes if one of them has one: its own, or one that
// says which process has.
func agree(p Processes, err error) error {
	if p == nil {
		return err
	}
	const none = ^uint64(0)
	var word [8]byte
	text := ""
	if err != nil {
		text = err.Error()
	}
	size := none // of the text
	if err != nil {
		size = uint64(len(text))
	}
	refused := none // who has refused its part
	if p.Rank() > 0 {
		binary.LittleEndian.PutUint64(word[:], size)
		p.Exchange(0, word[:], nil)
	} else {
		if err != nil {
			refused = 0
		}
		for other := 1; other < p.Size(); other++ {
			p.Exchange(other, nil, word[:])
			if x := binary.LittleEndian.Uint64(word[:]); x != none && refused == none {
				refused, size = uint64(other), x
			}
		}
	}
	all := [2]uint64{refused, size}
	p.Broadcast(bytesOf(&all))
	if refused, size = all[0], all[1]; refused == none {
		return nil
	}
	said := []byte(text)
	if who := int(refused); who > 0 {
		switch p.Rank() {
		case who:
			p.Exchange(0, said, nil)
		case 0:
			said = make([]byte, size)
			p.Exchange(who, nil, said)
		}
	}
	if p.Rank() > 0 {
		said = make([]byte, size)
	}
	p.Broadcast(said)
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: process %d: %s", ErrProcess, refused, said)
}
