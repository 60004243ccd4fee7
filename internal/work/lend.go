package work

import (
	"encoding/binary"
	"slices"

	"nmu/internal/direct"
	"nmu/internal/page"
	"nmu/internal/process"
	"nmu/lnmu"
	"nmu/lnmu/distributed"
)

// borrowed returns, in process 0, the rows x cols matrix whose parts all processes hold, own here.
// The others lend theirs until release.
func borrowed[T lnmu.Float](all *process.Group, own page.Source[T], rows, cols int) page.Source[T] {
	m, wide := own, cols > rows
	m.Rows, m.Cols = rows, cols
	m.Read = func(is, js []int, to lnmu.Dense[T]) error {
		lines := is
		if wide {
			lines = js
		}
		for at, holder := 0, 0; at < len(lines); holder++ {
			first, last := distributed.Share(rows, cols, holder, all.Size())
			n, _ := slices.BinarySearch(lines[at:], last)
			if n == 0 {
				continue
			}
			theirs := make([]int, n)
			for k, i := range lines[at : at+n] {
				theirs[k] = i - first
			}
			inRows, inCols := theirs, js
			var block lnmu.Dense[T]
			if wide {
				inRows, inCols, block = is, theirs, to.Slice(0, to.Rows, at, at+n)
			} else {
				block = to.Slice(at, at+n, 0, to.Cols)
			}
			at += n
			if holder > 0 {
				borrow(all, holder, inRows, inCols, block)
			} else if err := own.Read(inRows, inCols, block); err != nil {
				return err
			}
		}
		return nil
	}
	return m
}

// borrow receives rows is and columns js of the part of another process.
func borrow[T lnmu.Float](all *process.Group, holder int, is, js []int, to lnmu.Dense[T]) {
	for _, lines := range [][]int{is, js} {
		var b []byte
		for _, i := range lines {
			b = binary.LittleEndian.AppendUint64(b, uint64(i))
		}
		all.Send(holder, b)
	}
	block := lnmu.NewDense[T](len(is), len(js), nil)
	all.Exchange(holder, nil, direct.Bytes(block.Data))
	for i := range block.Rows {
		copy(to.Row(i), block.Row(i))
	}
}

// release ends lend in the other processes.
func release(all *process.Group) {
	for k := 1; k < all.Size(); k++ {
		all.Send(k, nil)
	}
}

// lend sends blocks of the part of this process to process 0 until release. After an error, which it
// returns, it sends anything.
func lend[T lnmu.Float](all *process.Group, m page.Source[T]) (failed error) {
	receive := func() (x []int) {
		for b := all.Receive(0); len(b) > 0; b = b[8:] {
			x = append(x, int(binary.LittleEndian.Uint64(b)))
		}
		return x
	}
	for {
		is := receive()
		if is == nil {
			return failed
		}
		js := receive()
		block := lnmu.NewDense[T](len(is), len(js), nil)
		if failed == nil {
			failed = m.Read(is, js, block)
		}
		all.Exchange(0, direct.Bytes(block.Data), nil)
	}
}
