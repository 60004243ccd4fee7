package folder

import (
	"nmu/internal/matio/internal/input"
)

// Stack is a dense matrix in parts that lie one below the other.
type Stack struct {
	f     *input.File
	parts []stackPart
	cols  int
}

// stackPart is a .npy file of a matrix.
type stackPart struct {
	*input.File
	first int64 // row of the matrix
}

// Verify does nothing: the files were compared with their headers.
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

// Of returns a .npy file as the only part of a matrix.
func Of(f *input.File) *Stack {
	return &Stack{f: f, parts: []stackPart{{File: f}}, cols: f.Cols}
}

// ByColumns says whether columns lie together in the files, not rows.
func (s *Stack) ByColumns() bool { return len(s.parts) == 1 && s.parts[0].ByColumns }
