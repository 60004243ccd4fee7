package matio

// Block is the rows I0 to I1-1 and the columns J0 to J1-1 of a matrix.
type Block struct{ I0, I1, J0, J1 int }

func (b Block) rows() int { return b.I1 - b.I0 }
func (b Block) cols() int { return b.J1 - b.J0 }

// turned is the same block of the transpose.
func (b Block) turned() Block { return Block{b.J0, b.J1, b.I0, b.I1} }

// within says whether b is a block of a matrix of so many rows and columns.
func (b Block) within(rows, cols int) bool {
	return 0 <= b.I0 && b.I0 <= b.I1 && b.I1 <= rows && 0 <= b.J0 && b.J0 <= b.J1 && b.J1 <= cols
}
