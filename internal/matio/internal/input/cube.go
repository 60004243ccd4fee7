package input

import "nmu/internal/matio/internal/element"

// SetCube makes a height x width x bands array the matrix of f: bands x pixels, the pixels line
// by line, as in an ENVI cube. It returns the number of elements.
func (f *File) SetCube(height, width, bands int64) (int64, error) {
	pixels, ok := element.Mul(height, width)
	if !ok {
		return 0, f.TooLarge("an image of %d x %d pixels", height, width)
	}
	n, err := f.SetDims(bands, pixels)
	if err != nil {
		return 0, err
	}
	f.MapHeight, f.MapWidth = int(height), int(width)
	f.Note("an array of %d x %d x %d is read as a cube of %d x %d pixels with %d bands, which are the last dimension", height, width, bands, height, width, bands)
	return n, nil
}

// TransposedCube is a cube of f that stores each band column by column. It delivers each band line by
// line.
type TransposedCube struct {
	File *File
	Of   Dense
}

// Open implements Dense. It takes memory for one band.
func (t TransposedCube) Open() (Source, error) {
	band, err := Alloc[float64](t.File, int64(t.File.Cols))
	if err != nil {
		return nil, err
	}
	s, err := t.Of.Open()
	return &transposedSource{Source: s, band: band, height: t.File.MapHeight, width: t.File.MapWidth, next: len(band)}, err
}

// transposedSource transposes one band after the other.
type transposedSource struct {
	Source
	band          []float64 // column by column
	height, width int
	next          int // pixel
}

// Next implements Source.
func (s *transposedSource) Next(dst []float64) error {
	for k := range dst {
		if s.next == len(s.band) {
			if err := s.Source.Next(s.band); err != nil {
				return err
			}
			s.next = 0
		}
		dst[k] = s.band[s.next/s.width+s.next%s.width*s.height]
		s.next++
	}
	return nil
}
