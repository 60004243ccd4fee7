// Package folder reads folders of .npy files. They hold a dense matrix, as parts stacked in
// rows that are read by blocks, or a sparse matrix in compressed sparse row form.
package folder

import (
	"slices"
	"strings"

	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/npy"
	"nmu/internal/matio/internal/scipy"
)

// csrNames are the files of a folder that holds a sparse matrix in compressed sparse row form, in reading order: two sizes,
// rows and columns; rows + 1 integers, where each row begins in the others; the column of each entry; its value.
var csrNames = []string{"shape.npy", "indptr.npy", "indices.npy", "data.npy"}

// CSRNames returns the file names of a folder with a sparse matrix.
func CSRNames() []string { return slices.Clone(csrNames) }

// Names lists the .npy files of the folder, in the order of their names.
func Names(f *input.File) ([]string, error) { return f.Files(".npy") }

// Open opens a folder of .npy files as a dense or as a sparse matrix. The other result is nil.
func Open(f *input.File, names []string) (*Stack, *scipy.Matrix, error) {
	if slices.Contains(names, csrNames[1]) || slices.Contains(names, csrNames[2]) {
		s, err := openCSRFolder(f, names)
		return nil, s, err
	}
	s, err := openStack(f, names)
	return s, nil, err
}

// openStack opens the parts of a dense matrix.
func openStack(f *input.File, names []string) (*Stack, error) {
	s := &Stack{f: f}
	rows := int64(0)
	for _, name := range names {
		p, err := openPart(f, name)
		if err != nil {
			return nil, err
		}
		if len(s.parts) > 0 && p.Cols != s.cols {
			return nil, f.Unsupported("the parts do not make one matrix: %s has %d columns, but %s has %d", name, p.Cols, names[0], s.cols)
		}
		s.parts = append(s.parts, stackPart{File: p, first: rows})
		s.cols = p.Cols
		rows += int64(p.Rows)
		f.Size += p.Size
		if len(names) > MostOpen { // opened again when it is read
			if err := p.Handle.Close(); err != nil {
				return nil, err
			}
			p.Handle = nil
		}
	}
	f.Dense = s
	_, err := f.SetDims(rows, int64(s.cols))
	return s, err
}

// openPart opens a .npy file of the folder. Closing f closes it.
func openPart(f *input.File, name string) (*input.File, error) {
	p, err := f.Part(name)
	if err != nil {
		return nil, err
	}
	f.AtClose(p.Close)
	if err := npy.Open(p); err != nil {
		return nil, err
	}
	if p.MapHeight > 0 || p.Plain == nil {
		return nil, p.Unsupported("an array of 3 dimensions cannot be part of a matrix: want 2, or 1 for a column")
	}
	return p, nil
}

// openCSRFolder opens a sparse matrix.
func openCSRFolder(f *input.File, names []string) (*scipy.Matrix, error) {
	for _, name := range csrNames {
		if !slices.Contains(names, name) {
			return nil, f.Bad(0, "a folder with a sparse matrix must hold %s, but %s is missing", input.List(csrNames), name)
		}
	}
	for _, name := range names {
		if !slices.Contains(csrNames, name) {
			return nil, f.Unsupported("a folder with a sparse matrix must hold only %s; remove %s", input.List(csrNames), name)
		}
	}
	s := scipy.New(f, "csr", func(name string) string { return name + ".npy" })
	for _, name := range csrNames {
		p, err := openPart(f, name)
		if err != nil {
			return nil, err
		}
		f.Size += p.Size
		if err := s.Add(strings.TrimSuffix(name, ".npy"), p.Plain); err != nil {
			return nil, err
		}
	}
	return s, s.Use()
}

// MostOpen is how many parts of a matrix are kept open.
const MostOpen = 256
