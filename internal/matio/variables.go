package matio

import (
	"errors"

	"nmu/internal/matio/internal/npz"
)

// noVariable is the name of no variable.
const noVariable = "\x00"

// Variables returns the names of at most 20 matrices in a .mat, .npz or HDF5 file, and none for
// other files. It does not read the numbers.
func Variables(path string) ([]string, error) {
	f, err := Open(path, Options{Var: noVariable})
	if err == nil {
		return nil, f.Close()
	}
	var v *VarError
	switch {
	case errors.As(err, &v):
		return v.Names, nil
	case errors.Is(err, ErrVar): // of another type
		return nil, nil
	}
	return nil, err
}

// ReadText returns the content of a member of a .npz file that is no array, such as model.json. The member
// may have at most most bytes, which count towards Options.MaxMemory.
func (f *File) ReadText(member string, most int64) ([]byte, error) {
	return npz.Text(f.in, member, most)
}
