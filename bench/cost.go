package bench

// work is what an iteration has to do: floating-point operations, and bytes of M and of its
// state. A multiply-add counts as two operations.
type work struct{ operations, bytes float64 }

// workOf returns the work of an iteration on a rows x cols matrix of numbers of size bytes. steps
// is the number of HALS steps in an iteration. With state, the method keeps N = M - Λ.
func workOf(rows, cols, rank, size, steps int, state bool) work {
	entries, r, t := float64(rows)*float64(cols), float64(rank), float64(steps)
	w := work{
		operations: t*4*entries*r + t*(3*r*r+r)*float64(rows+cols), // products; sweeps and Gram matrices
		bytes:      t * entries * float64(size),
	}
	if state {
		w.operations += (2*r + 2) * entries    // V W, and the multipliers
		w.bytes += 2 * entries * float64(size) // M is read, N written
	}
	return w
}

// sparseWork is what an iteration has to do for each nonzero, in any program that touches only the
// nonzeros.
type sparseWork struct {
	read, copied     int // vectors of r numbers that are read alone, and that are added to; each takes r multiply-adds
	again            int // r multiply-adds more with a vector that was read
	entries, columns int // values, and indices of 4 bytes, that come from the memory that holds the matrix or go there
}

// rates are rates of the machine in 1e9 a second.
type rates struct {
	peak          float64 // operations
	loads, copies float64 // bytes of vectors in L1
	stream        float64 // bytes of nonzeros, from where they fit
}

// seconds returns the least time of the work on nnz nonzeros: the longest of its multiply-adds, of
// its vectors if all of them are in L1, and of its nonzeros.
func (w sparseWork) seconds(r rates, nnz, rank, size int) float64 {
	n, vector := float64(nnz), float64(rank*size)
	return 1e-9 * max(
		n*float64(2*rank*(w.read+w.copied+w.again))/r.peak,
		n*vector*(float64(w.read)/r.loads+float64(2*w.copied)/r.copies),
		n*float64(w.entries*size+4*w.columns)/r.stream,
	)
}
