package lnmu

import (
	"math"
	"unsafe"

	"nmu/internal/direct"
	"nmu/lnmu/internal/block"
)

// SparseNeeds is what a factorization of a stored sparse matrix takes, and what an
// iteration reads and writes, in bytes.
type SparseNeeds struct {
	Needs
	Reads, Writes int64
}

// NeedsOfSparse is NeedsOf for FactorStoredSparse.
//
// In numbers, with L rows and w columns, memory is a few times r (L + w), as the long
// factor is kept twice and both are in the start, in the finished factors and in the
// result, and up to eight times r w for the sums over groups of rows. Beside that there
// are pieces of M, and of N, for each thread. The scratch files have M and the state as
// often as FactorSparse has them in memory.
func NeedsOfSparse[T Float](m StoredCSR[T], rank int, method Method, settings Settings) (SparseNeeds, error) {
	return instance[needing[StoredCSR[T], SparseNeeds]](sparseNeeds32, sparseNeeds64)(m, rank, method, settings)
}

func needsOfSparse[T Float](m StoredCSR[T], rank int, method Method, settings Settings) (SparseNeeds, error) {
	p, s, err := prepareStored(m, rank, method, &settings, settings.Init == "")
	if err != nil {
		return SparseNeeds{}, err
	}
	rows, cols := m.Dims()
	t := &tiled[T]{byRows: p.fusedRankOne(s), rows: rows, cols: cols, whole: extentOfM{rows, m.Entries()}}
	blocks := 1
	if !t.byRows {
		blocks = t.blocksFor(p.block)
	}
	t.setBlocks(blocks)

	d, size := p.method.Describe(), float64(unsafe.Sizeof(T(0)))
	word := float64(unsafe.Sizeof(0))
	z, l, w, k, b := float64(t.whole.entries), float64(rows), float64(cols), float64(rank), float64(p.block)
	slabs, threads := float64(t.whole.slabs()), float64(s.Threads)
	inUnit := math.Floor(float64(unitBytes(t.blocks)) / ((z*(4+size) + word*l*float64(t.blocks)) / slabs)) // slabs of a mean size
	units := min(slabs, slabs/max(1, inUnit)+2*(maxGroups+4*threads))
	parts := units * float64(t.blocks)
	values, places := size*z+direct.Page*parts, 4*z+word*(l*float64(t.blocks)+parts)+direct.Page*parts
	arrays := 1.0
	if d.Underapproximates {
		arrays++
	}
	if d.Recursive && p.block < rank {
		arrays++
	}

	// A slab may have the work of most slabs and a row that is full.
	slab := (4+size)*(2*slabEntries+w) + word*slabEntries*float64(t.blocks)
	piece := (float64(unitBytes(t.blocks)) + slab) * arrays
	piece += direct.Page * float64(t.blocks) * (1 + arrays)
	buffers := max(threads*float64(block.SlotsOfEach), 4) * piece // 4: to make the tiles
	numbers := b*(2*l+2*w) + k*(4*(l+w)+maxGroups*w) + threads*slabEntries/entriesPerRow*max(b, k)
	if p.acceleration.on {
		numbers += b * (l + w)
	}
	if s.Restarts > 1 {
		numbers += k * (l + w)
	}
	if s.Checkpoint != nil { // as for a dense matrix
		numbers += k * (l + w)
	}
	const rest = 20 << 20 // of the program, and what a reader takes
	needs := SparseNeeds{Needs: Needs{Memory: wholeBytes(size*numbers + buffers + 200*slabs + 32*parts + rest), Scratch: wholeBytes(values*arrays + places)}}

	reads, writes := 2*(places+values), 0.0
	if t.byRows {
		reads /= 2
	}
	if d.Underapproximates {
		reads = reads*float64(p.lagrange.StepsPerUpdate) + values
		if p.lagrange.Solver == SolverADMM {
			reads += (2*float64(p.lagrange.StepsPerUpdate) - 1) * values
		}
		writes = values
	}
	needs.Reads, needs.Writes = wholeBytes(math.Ceil(reads)), wholeBytes(writes)
	return needs, nil
}
