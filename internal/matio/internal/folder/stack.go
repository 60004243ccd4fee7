package folder

import (
	"nmu/internal/matio/internal/input"
)

// Stack is a dense matrix in parts, which are blocks of rows in order.
type Stack struct {
	f     *input.File
	parts []stackPart
	cols  int
}

// stackPart is a .npy file that holds some rows of a matrix.
type stackPart struct {
	*input.File
	first int64 // row of the matrix
}

// Single says whether float32 holds every number of the parts.
func (s *Stack) Single() bool {
	for _, part := range s.parts {
		if !part.Plain.Type.Single() {
			return false
		}
	}
	return true
}

// Of returns a matrix whose only part is the .npy file f.
func Of(f *input.File) *Stack {
	return &Stack{f: f, parts: []stackPart{{File: f}}, cols: f.Cols}
}

// ByColumns says whether the elements are stored column by column.
func (s *Stack) ByColumns() bool { return len(s.parts) == 1 && s.parts[0].ByColumns }

// StackChunk is how many elements of a stack are read at once: several rows, or a piece of a long row.
const StackChunk = 1 << 18

// Open starts reading the elements row by row.
func (s *Stack) Open() (input.Source, error) {
	width := min(s.cols, StackChunk)
	height := min(StackChunk/max(1, width), s.f.Rows)
	buf, err := input.Alloc[float64](s.f, int64(width)*int64(height))
	row, col := 0, 0
	return &input.Pieces{Load: func() ([]float64, error) {
		b := input.Block{I0: row, I1: min(row+height, s.f.Rows), J0: col, J1: min(col+width, s.cols)}
		if col = b.J1; col == s.cols {
			row, col = b.I1, 0
		}
		piece := buf[:b.Rows()*b.Cols()]
		return piece, ReadBlock(s, piece, b.Cols(), b, false, nil)
	}}, err
}
