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

// Verify does nothing: Open compared the headers with the sizes of the files.
func (s *Stack) Verify() error { return nil }

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
