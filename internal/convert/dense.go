package convert

import (
	"math"
	"os"

	"nmu/internal/matio"
)

const (
	// elementChunk is how many elements are handled at once.
	elementChunk = 1 << 14
	// fairPiece is the least length in bytes of contiguous pieces for reading a band of rows
	// from a matrix by columns.
	fairPiece = 1 << 15
)

// each calls do for the elements of f.
func (j *job) each(f *matio.File, do func(x []float64) error) error {
	return f.Each(func(x []float64) error {
		if err := j.ctx.Err(); err != nil {
			return err
		}
		return do(x)
	})
}

// addColumns adds the rows of a dense matrix by columns, by way of a temporary file.
func (j *job) addColumns(f *matio.File) error {
	rows, cols := f.Dims()
	file, err := j.temp()
	if err != nil {
		return err
	}
	s := Settings{Single: f.Float32()}
	w := newWriter(file)
	b := make([]byte, 0, s.size()*elementChunk)
	err = j.each(f, func(x []float64) error {
		b = b[:0]
		for _, v := range x {
			b = s.append(b, v)
		}
		_, err := w.Write(b)
		return err
	})
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		return err
	}
	if err := j.addParts(matio.PartsOf(file, rows, cols, s.Single, true)); err != nil {
		return err
	}
	return j.removeTemp(file)
}

// addParts adds the rows of a dense matrix that can be read by blocks.
func (j *job) addParts(p *matio.Parts) error {
	rows, cols := p.Dims()
	most := int(j.Memory / 4 / 8)
	height := max(1, min(rows, most/cols))
	if p.ByColumns() && height < rows && height*8 < fairPiece {
		file, err := j.temp()
		if err != nil {
			return err
		}
		if err := j.turn(p, file); err != nil {
			return err
		}
		if err := j.addParts(matio.PartsOf(file, rows, cols, p.Float32(), false)); err != nil {
			return err
		}
		return j.removeTemp(file)
	}
	width := min(cols, most)
	buf := make([]float64, height*width)
	for i := 0; i < rows; i += height {
		for k := 0; k < cols; k += width {
			b := matio.Block{I0: i, I1: min(i+height, rows), J0: k, J1: min(k+width, cols)}
			if err := j.block(p, buf, b); err != nil {
				return err
			}
			if err := j.out.elements(buf[:(b.I1-b.I0)*(b.J1-b.J0)]); err != nil {
				return err
			}
		}
	}
	return nil
}

// block reads a block.
func (j *job) block(p *matio.Parts, buf []float64, b matio.Block) error {
	if err := j.ctx.Err(); err != nil {
		return err
	}
	return matio.ReadBlock(p, buf, b.J1-b.J0, b)
}

// turn writes a matrix by columns to a file row by row, in square tiles.
func (j *job) turn(p *matio.Parts, file *os.File) error {
	rows, cols := p.Dims()
	most := int(j.Memory / 4 / 8)
	height := min(rows, max(1, int(math.Sqrt(float64(most)))))
	width := min(cols, most/height)
	height = min(rows, most/width)
	s := Settings{Single: p.Float32()}
	buf, line := make([]float64, height*width), make([]byte, 0, s.size()*width)
	for k := 0; k < cols; k += width {
		for i := 0; i < rows; i += height {
			b := matio.Block{I0: i, I1: min(i+height, rows), J0: k, J1: min(k+width, cols)}
			if err := j.block(p, buf, b); err != nil {
				return err
			}
			n := b.J1 - k
			for r := range b.I1 - i {
				line = line[:0]
				for _, v := range buf[r*n : (r+1)*n] {
					line = s.append(line, v)
				}
				if _, err := file.WriteAt(line, (int64(i+r)*int64(cols)+int64(k))*int64(s.size())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
