package scaling

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"nmu/lnmu"
)

// Kind is a kind of machine. Rates and sizes are in units of 1e9, the latency in microseconds.
type Kind struct {
	Name      string  `json:"name"`
	Cores     int     `json:"cores"`
	Peak      float64 `json:"gflops"`       // operations per second of all cores; a multiply-add counts as two
	Cache     float64 `json:"cache_gb"`     // bytes of the last cache
	FromCache float64 `json:"cache_gbs"`    // bytes per second from it
	Memory    float64 `json:"memory_gb"`    // bytes, for M, the state and the factors
	Bandwidth float64 `json:"memory_gbs"`   // bytes per second from memory
	Read      float64 `json:"disk_gbs"`     // bytes per second from disk
	Write     float64 `json:"disk_out_gbs"` // and to it
	Latency   float64 `json:"latency_us"`   // microseconds of a message of a few bytes
	Network   float64 `json:"network_gbs"`  // bytes per second of a long one
}

// Server returns the default kind of machine: a usual cloud or cluster machine of 2026, in
// round figures.
func Server() Kind {
	return Kind{
		Name:  "64 cores at 2.5 GHz with two 512-bit multiply-add units each",
		Cores: 64, Peak: 64 * 2.5 * 2 * 8 * 2,
		Cache: 0.128, FromCache: 1000,
		Memory: 240, Bandwidth: 300,
		Read: 6, Write: 3,
		Latency: 5, Network: 12,
	}
}

// ErrKind reports an invalid kind of machine.
var ErrKind = errors.New("scaling: not a kind of machine")

// ReadKind reads a kind from JSON. Missing fields are those of Server. Errors wrap ErrKind, or
// are those of r.
func ReadKind(r io.Reader) (Kind, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return Kind{}, err
	}
	k := Server()
	k.Name = "of a file"
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&k); err != nil {
		return Kind{}, fmt.Errorf("%w: %w", ErrKind, err)
	}
	for _, x := range []struct {
		name string
		is   float64
	}{
		{"cores", float64(k.Cores)}, {"gflops", k.Peak}, {"cache_gb", k.Cache}, {"cache_gbs", k.FromCache}, {"memory_gb", k.Memory},
		{"memory_gbs", k.Bandwidth}, {"disk_gbs", k.Read}, {"disk_out_gbs", k.Write}, {"latency_us", k.Latency}, {"network_gbs", k.Network},
	} {
		if !(x.is > 0 && x.is <= 1e12) {
			return Kind{}, fmt.Errorf("%w: %s is %v; choose a positive number", ErrKind, x.name, x.is)
		}
	}
	return k, nil
}

// Time is the time of one iteration in seconds.
type Time struct {
	Compute, Memory float64 // of the processor and of the memory, each alone
	Local           float64 // of processor and memory together
	Disk            float64 // of the disk, at the same time
	Exchange        float64 // of the network, after the others
}

// Total returns the seconds of the iteration.
func (t Time) Total() float64 { return max(t.Local, t.Disk) + t.Exchange }

// By names the resource that takes the longest time.
func (t Time) By() string {
	switch most := max(t.Local, t.Disk, t.Exchange); {
	case most == t.Disk:
		return "disk"
	case most == t.Exchange:
		return "network"
	case t.Memory > t.Compute:
		return "memory"
	}
	return "processor"
}

// part returns the fraction of the longer side on the first machine, which has the largest.
func part(p Problem, machines int) float64 {
	first, last := lnmu.Share(p.Rows, p.Cols, 0, machines)
	return float64(last-first) / p.long()
}

// Fits says whether this many machines hold the working data of the method in memory.
func (m Method) Fits(p Problem, k Kind, machines int) bool {
	return m.Held(p)*part(p, machines) <= k.Memory*1e9
}

// Iteration returns the time of one iteration on this many machines of a kind. share is the
// fraction of the peak that the method reaches. Machines that cannot hold their part in memory
// read and write all of it on disk, and keep only the factors.
func (m Method) Iteration(p Problem, k Kind, machines int, share float64) Time {
	c := m.Cost(p).of(part(p, machines))
	bandwidth := k.Bandwidth
	if m.Held(p)*part(p, machines) <= k.Cache*1e9 {
		bandwidth = k.FromCache
	}
	t := Time{Compute: c.Operations() / (1e9 * k.Peak * share), Memory: c.Bytes() / (1e9 * bandwidth)}
	t.Local = t.Compute + t.Memory
	if m.Rank == 1 {
		t.Local = max(t.Compute, t.Memory)
	}
	if !m.Fits(p, k, machines) {
		t.Disk = (c.Read/k.Read + c.Written/k.Write) / 1e9
	}
	if machines == 1 {
		return t
	}
	x := m.Messages(p, machines)
	t.Exchange = float64(x.Count) * (k.Latency/1e6 + x.Bytes/(1e9*k.Network))
	return t
}

// Whole returns the seconds of a whole factorization, with the iterations of all blocks. Before
// them M is read from disk. Around each block the state is set and the residual is formed,
// which reads M twice and, in a recursion, writes it once.
func (m Method) Whole(p Problem, k Kind, machines int, share float64) float64 {
	seconds := float64(m.Blocks*m.Iterations) * m.Iteration(p, k, machines, share).Total()
	own := p.Bytes() * part(p, machines) / 1e9
	seconds += own / k.Read
	around, out := 2*own, 0.0
	if m.State {
		out += own
	}
	if m.Blocks > 1 {
		out += own
	}
	each := (around + out) / k.Bandwidth
	if !m.Fits(p, k, machines) {
		each = max(each, around/k.Read+out/k.Write)
	}
	return seconds + float64(m.Blocks)*each
}

// Efficiency returns the parallel efficiency: the time of one machine with memory for all of M,
// divided by the number of machines and their time. It exceeds 1 if the parts fit in the caches
// of the machines but M does not fit in one.
func (m Method) Efficiency(p Problem, k Kind, machines int, share float64) float64 {
	alone := k
	alone.Memory = m.Held(p) // enough for all of M
	return m.Iteration(p, alone, 1, share).Total() / float64(machines) / m.Iteration(p, k, machines, share).Total()
}
