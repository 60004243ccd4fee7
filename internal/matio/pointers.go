package matio

import "slices"

// Pointers returns the row pointers of rows i0 to i1-1 of a sparse matrix, i1-i0+1 numbers.
// They count stored entries from the first of the matrix, with zeros and repeated entries. If
// the matrix is stored by columns, the error wraps ErrUnsupported.
func (p *Parts) Pointers(i0, i1 int) ([]int, error) {
	rows, cols := p.Dims()
	if err := p.checkBlock(Block{I0: i0, I1: i1, J1: cols}, true); err != nil {
		return nil, err
	}
	if p.ByColumns() {
		return nil, p.f.in.Unsupported("the sparse matrix is stored by columns, so it has no row pointers")
	}
	if p.chosenRows != nil {
		return slices.Clone(p.ptr[i0 : i1+1]), nil
	}
	s := p.f.rows
	part := p.f.in.Block(Block{I1: rows, J1: cols})
	defer part.In(s.Called("indptr"))()
	ptr, base, err := part.Pointers(s.From("indptr", int64(i0)), "indptr", int64(i0), int64(i1-i0), p.Entries())
	if err != nil {
		return nil, err
	}
	if n := p.Entries(); int64(int(n)) != n {
		return nil, p.f.in.TooLarge("the sparse matrix has %d entries, more than a 32-bit program can count; use a 64-bit build", n)
	}
	for i := range ptr {
		ptr[i] += int(base)
	}
	return ptr, nil
}
