package input

// Block is the rows I0 to I1-1 and the columns J0 to J1-1 of a matrix.
type Block struct{ I0, I1, J0, J1 int }

// Rows returns the number of rows.
func (b Block) Rows() int { return b.I1 - b.I0 }

// Cols returns the number of columns.
func (b Block) Cols() int { return b.J1 - b.J0 }

// Transposed returns the same block of the transpose.
func (b Block) Transposed() Block { return Block{b.J0, b.J1, b.I0, b.I1} }

// Within says whether b is a block of a rows x cols matrix.
func (b Block) Within(rows, cols int) bool {
	return 0 <= b.I0 && b.I0 <= b.I1 && b.I1 <= rows && 0 <= b.J0 && b.J0 <= b.J1 && b.J1 <= cols
}
