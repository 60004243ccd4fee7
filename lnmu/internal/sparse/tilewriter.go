package sparse

import (
	"fmt"
	"unsafe"

	"nmu/internal/direct"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
)

// tileWriter puts the rows of a unit into its parts.
type tileWriter[T kernel.Float] struct {
	t     *tiling[T]
	parts []tileColumns[T] // of every block of columns
	bytes [2][]T           // what is written, of the values and of the places
}

// tileColumns is the tiles of a unit in a block of columns.
type tileColumns[T kernel.Float] struct {
	ptr []int
	idx []int32
	val []T
}

// filesFor returns the sizes of the files of the values and of the places, at most.
func (t *tiling[T]) filesFor() (values, places int64) {
	parts := int64(len(t.file.units)-1) * int64(t.blocks)
	n := int64(t.whole.entries)
	values = n*int64(unsafe.Sizeof(T(0))) + parts*direct.Page
	places = 4*n + int64(unsafe.Sizeof(0))*(int64(t.rows)*int64(t.blocks)+parts) + parts*direct.Page
	return direct.RoundUp(values), direct.RoundUp(places)
}

// write writes M into its files, tile by tile, and makes room for the state of a method;
// several says that it finds more than one block of factors.
func (x *Scan[T]) write(t *tiling[T], d core.Plan, several bool) error {
	f := t.file
	values, places := t.filesFor()
	var err error
	if f.places, err = block.NewScratch(f.scratch, places); err != nil {
		return err
	}
	for which, wanted := range [3]bool{block.OfM: d.Recursive && several, block.OfN: d.Underapproximates, ofGiven: true} {
		if !wanted {
			continue
		}
		if f.files[which], err = block.NewScratch(f.scratch, values); err != nil {
			return err
		}
	}
	w := tileWriter[T]{t: t, parts: make([]tileColumns[T], t.blocks)}
	f.parts = make([]partOfFile, 0, (len(f.units)-1)*t.blocks+1)
	end := partOfFile{}
	for unit := range len(f.units) - 1 {
		s0, s1 := f.units[unit], f.units[unit+1]
		w.clear()
		entries := 0
		err := x.each(t.slabs[s0], t.slabs[s1], func(_ int, c CSR[T]) error {
			if entries += len(c.Val); entries > x.before[s1]-x.before[s0] {
				return errChanged
			}
			w.add(c)
			return nil
		})
		if err == nil && entries != x.before[s1]-x.before[s0] {
			err = errChanged
		}
		if err != nil {
			return err
		}
		before := end
		for b := range w.parts {
			f.parts = append(f.parts, end)
			f.parts[len(f.parts)-1].entries = len(w.parts[b].val)
			v, p := w.parts[b].sizes()
			end.values, end.places = end.values+v, end.places+p
		}
		if err := w.write(f, before, end); err != nil {
			return fmt.Errorf("writing the scratch file in %s: %w", f.scratch, err)
		}
	}
	f.parts = append(f.parts, end)
	return nil
}

var errChanged = fmt.Errorf("%w: M has changed while it was read", core.ErrShape)

// clear makes the parts empty.
func (w *tileWriter[T]) clear() {
	for b := range w.parts {
		p := &w.parts[b]
		p.ptr, p.idx, p.val = append(p.ptr[:0], 0), p.idx[:0], p.val[:0]
	}
}

// add adds rows.
func (w *tileWriter[T]) add(c CSR[T]) {
	for i := range c.Rows {
		at := c.Ptr[i]
		for b := range w.parts {
			p, first := &w.parts[b], at
			for at < c.Ptr[i+1] && int(c.Idx[at]) < (b+1)*w.t.width {
				at++
			}
			p.idx, p.val = append(p.idx, c.Idx[first:at]...), append(p.val, c.Val[first:at]...)
			p.ptr = append(p.ptr, len(p.val))
			w.t.longest = max(w.t.longest, at-first)
		}
	}
}

// sizes returns the bytes of the values and of the places.
func (p *tileColumns[T]) sizes() (values, places int64) {
	values = int64(len(p.val)) * int64(unsafe.Sizeof(T(0)))
	places = int64(len(p.ptr))*int64(unsafe.Sizeof(0)) + 4*int64(len(p.idx))
	return direct.RoundUp(values), direct.RoundUp(places)
}

// write writes the parts of a unit to their places in the files.
func (w *tileWriter[T]) write(f *tileFile[T], from, to partOfFile) error {
	sizes := [2]int64{to.values - from.values, to.places - from.places}
	for i, n := range sizes {
		f.most[i] = max(f.most[i], n)
		if elements := int(n) / int(unsafe.Sizeof(T(0))); len(w.bytes[i]) < elements {
			w.bytes[i] = direct.Make[T](elements)
		}
	}
	values, places := w.bytes[0], direct.Bytes(w.bytes[1])[:sizes[1]]
	for b := range w.parts {
		p := &w.parts[b]
		v, n := p.sizes()
		copy(values, p.val)
		values = values[int(v)/int(unsafe.Sizeof(T(0))):]
		ptr, idx := placesIn(places, len(p.ptr)-1, len(p.idx))
		copy(ptr, p.ptr)
		copy(idx, p.idx)
		places = places[n:]
	}
	if err := f.files[ofGiven].WriteAt(direct.Bytes(w.bytes[0])[:sizes[0]], from.values); err != nil {
		return err
	}
	return f.places.WriteAt(direct.Bytes(w.bytes[1])[:sizes[1]], from.places)
}
