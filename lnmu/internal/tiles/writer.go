package tiles

import (
	"unsafe"

	"nmu/internal/direct"
	"nmu/kernel"
)

// writer writes tiles into their files, unit by unit.
type writer[T kernel.Float] struct {
	*Tiling[T]
	rows  source[T]        // of the layout
	unit  int              // the next unit
	end   partOfFile       // where the next unit begins
	block []blockOfUnit[T] // of every block of columns
	bytes [2][]T           // the values and the places of a unit, as they are written
}

// blockOfUnit is the tiles of a unit in a block of columns.
type blockOfUnit[T kernel.Float] struct {
	ptr []int
	idx []int32
	val []T
}

// step writes a unit, and reports whether there are more.
func (w *writer[T]) step() (more bool, err error) {
	f := w.file
	if w.unit == len(f.units)-1 {
		f.parts = append(f.parts, w.end)
		w.unit++
	}
	if w.unit > len(f.units)-1 {
		return false, nil
	}
	for b := range w.block {
		p := &w.block[b]
		p.ptr, p.idx, p.val = append(p.ptr[:0], 0), p.idx[:0], p.val[:0]
	}
	first, last := w.Slabs[f.units[w.unit]], w.Slabs[f.units[w.unit+1]]
	for first < last {
		c, err := w.rows.next(last)
		if err != nil {
			return false, err
		}
		w.add(c)
		first += c.Rows
	}
	w.unit++
	return true, w.flush()
}

func (w *writer[T]) add(c CSR[T]) {
	for i := range c.Rows {
		at := c.Ptr[i]
		for b := range w.block {
			p, first := &w.block[b], at
			for at < c.Ptr[i+1] && int(c.Idx[at]) < (b+1)*w.Width {
				at++
			}
			p.idx, p.val = append(p.idx, c.Idx[first:at]...), append(p.val, c.Val[first:at]...)
			p.ptr = append(p.ptr, len(p.val))
			w.Longest = max(w.Longest, at-first)
		}
	}
}

// sizes returns the bytes of the values and of the places.
func (p *blockOfUnit[T]) sizes() (values, places int64) {
	values = int64(len(p.val)) * int64(unsafe.Sizeof(T(0)))
	places = int64(len(p.ptr))*int64(unsafe.Sizeof(0)) + 4*int64(len(p.idx))
	return direct.RoundUp(values), direct.RoundUp(places)
}

func (w *writer[T]) flush() error {
	f, from := w.file, w.end
	for b := range w.block {
		p := &w.block[b]
		f.parts = append(f.parts, partOfFile{w.end.values, w.end.places, len(p.val)})
		values, places := p.sizes()
		w.end.values, w.end.places = w.end.values+values, w.end.places+places
	}
	sizes := [2]int64{w.end.values - from.values, w.end.places - from.places}
	for i, n := range sizes {
		f.most[i] = max(f.most[i], n)
		if elements := int(n) / int(unsafe.Sizeof(T(0))); len(w.bytes[i]) < elements {
			w.bytes[i] = direct.Make[T](elements)
		}
	}
	values, places := w.bytes[0], direct.Bytes(w.bytes[1])[:sizes[1]]
	for b := range w.block {
		p := &w.block[b]
		v, n := p.sizes()
		copy(values, p.val)
		values = values[int(v)/int(unsafe.Sizeof(T(0))):]
		ptr, idx := placesIn(places, len(p.ptr)-1, len(p.idx))
		copy(ptr, p.ptr)
		copy(idx, p.idx)
		places = places[n:]
	}
	if err := f.values[OfGiven].Write(direct.Bytes(w.bytes[0])[:sizes[0]], from.values); err != nil {
		return err
	}
	return f.places.Write(direct.Bytes(w.bytes[1])[:sizes[1]], from.places)
}
