package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"nmu/internal/matio"
	"nmu/lnmu"
)

// checkProcesses refuses what several processes cannot do, as far as package lnmu does
// not do so.
func (f *factorFlags) checkProcesses(given func(flag string) bool) error {
	if f.all == nil {
		return nil
	}
	if f.path == standardInput {
		return fmt.Errorf("--%s: standard input cannot be read by parts; name a file", nameMPI)
	}
	for _, x := range []struct{ flag, instead string }{
		{"improve", "measure the result in one process: nmu factor --init DIR --iters 1"},
		{"report", "nmu report DIR makes it afterwards, in one process"},
		{"continue", "leave it out, or run one process"},
		{"missing", "fill in what is missing, or run one process"},
		{"missing-solver", "leave it out, or run one process"},
		{"sparse-missing", "leave it out, or run one process"},
		{"mask", "leave it out, or run one process"},
		{"weights", "leave it out, or run one process"},
		{"fix-v", "leave it out, or run one process"},
		{"fix-w", "leave it out, or run one process"},
		{"baseline", "leave it out, or run one process"},
	} {
		if given(x.flag) {
			return fmt.Errorf("--%s is not for several processes (--%s); %s", x.flag, nameMPI, x.instead)
		}
	}
	return nil
}

// divide tells a plan which part of an m x n matrix this process has.
func (p *processes) divide(to *plan, m, n int) {
	first, last := lnmu.Share(m, n, p.Rank(), p.Size())
	to.held = last - first
	to.settings.Processes = p.world
	to.settings.Part = lnmu.Part{First: first, Whole: max(m, n), Columns: m < n}
}

// before is what all processes must have before them.
func (f *factorFlags) before(rows, cols int) string {
	s := fmt.Sprintf("version %s and a matrix of %d x %d", version(), rows, cols)
	if f.resume != nil {
		s += " with the checkpoint " + filepath.Base(f.resume.file.Name())
		if info, err := f.resume.file.Stat(); err == nil {
			s += fmt.Sprintf(" of %d bytes", info.Size())
		}
	}
	return s
}

// differing returns which processes have another sum than process 0, which alone finds that
// out.
func (p *processes) differing(sum [sha256.Size]byte) (ranks []int) {
	if p.helper() {
		p.Exchange(0, sum[:], nil)
		return nil
	}
	for k := 1; k < p.Size(); k++ {
		var other [sha256.Size]byte
		p.Exchange(k, nil, other[:])
		if other != sum {
			ranks = append(ranks, k)
		}
	}
	return ranks
}

// alike returns an error in all processes unless all have before them what process 0 has: the
// program, the shape of the matrix, and the contents of the files.
func (f *factorFlags) alike(rows, cols int) error {
	if f.all == nil {
		return nil
	}
	sum, err := f.contents()
	if err := f.all.agree(err, f.before(rows, cols)); err != nil {
		return err
	}
	ranks := f.all.differing(sum)
	if ranks == nil {
		return f.all.agree(nil, "")
	}
	var who []string
	for _, k := range ranks {
		who = append(who, strconv.Itoa(k))
	}
	one := "process"
	if len(ranks) > 1 {
		one = "processes"
	}
	return f.all.agree(fmt.Errorf("%s %s: the contents of %s are not those that process 0 has; give all of them the same files", one, enumerate(who, "and"), f.path), "")
}

// Files up to wholeSample bytes are compared whole, of longer ones as many bytes in blocks
// that are spread evenly, as no process is to read all of a matrix of which it has a part.
const (
	wholeSample = 64 << 20
	sampleBlock = 64 << 10
)

// contents returns a hash of the files that a run reads, of long ones by a sample, and of
// the checkpoint that it goes on from.
func (f *factorFlags) contents() (sum [sha256.Size]byte, err error) {
	paths, err := inputPaths(f)
	if err != nil {
		return sum, err
	}
	if !slices.Contains(lnmu.Inits(), lnmu.Init(f.init)) {
		paths = append(paths, filepath.Join(f.init, nameV), filepath.Join(f.init, nameW))
	}
	if f.resume != nil {
		paths = append(paths, f.resume.file.Name())
	}
	all := sha256.New()
	for _, path := range paths {
		if err := sample(all, path); err != nil {
			return sum, err
		}
	}
	return [sha256.Size]byte(all.Sum(nil)), nil
}

// sample writes the size of a file and what is compared of it.
func sample(to io.Writer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if err := binary.Write(to, binary.LittleEndian, size); err != nil {
		return err
	}
	if size <= wholeSample {
		_, err := io.Copy(to, io.NewSectionReader(file, 0, size))
		return err
	}
	const last = wholeSample/sampleBlock - 1
	step := (size - sampleBlock) / last
	for k := range int64(last + 1) {
		at := k * step
		if k == last {
			at = size - sampleBlock
		}
		if _, err := io.Copy(to, io.NewSectionReader(file, at, sampleBlock)); err != nil {
			return err
		}
	}
	return nil
}

// block returns the rows and columns that this process has of an m x n matrix.
func (p *processes) block(m, n int) matio.Block {
	first, last := lnmu.Share(m, n, p.Rank(), p.Size())
	if m >= n {
		return matio.Block{I0: first, I1: last, J1: n}
	}
	return matio.Block{I1: m, J0: first, J1: last}
}

// readDense reads what this process has of a dense matrix.
func readDense[T lnmu.Float](file *matio.File, f *factorFlags) (lnmu.Dense[T], error) {
	if f.all == nil {
		return readMatrix[T](file)
	}
	b := f.all.block(file.Dims())
	data, err := matio.DenseWithin[T](file, b)
	return lnmu.Dense[T]{Rows: b.I1 - b.I0, Cols: b.J1 - b.J0, Data: data, Stride: b.J1 - b.J0}, err
}

// readSparse reads what this process has of a sparse matrix.
func readSparse[T lnmu.Float](file *matio.File, f *factorFlags) (m lnmu.CSR[T], err error) {
	if f.all == nil {
		m.Rows, m.Cols, m.Ptr, m.Idx, m.Val, err = matio.Sparse[T](file)
		return m, err
	}
	b := f.all.block(file.Dims())
	m.Rows, m.Cols = b.I1-b.I0, b.J1-b.J0
	m.Ptr, m.Idx, m.Val, err = matio.SparseWithin[T](file, b)
	return m, err
}

// partOf returns what this process has of a start for an m x n matrix: the rows of V, or
// the columns of W, that belong to its part of the matrix.
func partOf[T lnmu.Float](p *processes, s start[T], m, n int) start[T] {
	if !s.given {
		return s
	}
	side := &s.v
	if m < n {
		side = &s.w
	}
	first, last := lnmu.Share(m, n, p.Rank(), p.Size())
	*side = sliceOf(*side, m < n, first, last)
	return s
}

// sliceOf returns a copy of the rows of V from first to last-1, or the columns of W.
func sliceOf[T lnmu.Float](d lnmu.Dense[T], wide bool, first, last int) lnmu.Dense[T] {
	i0, i1, j0, j1 := first, last, 0, d.Cols
	if wide {
		i0, i1, j0, j1 = 0, d.Rows, first, last
	}
	part := lnmu.NewDense[T](i1-i0, j1-j0, nil)
	for i := range part.Rows {
		copy(part.Row(i), d.Row(i0 + i)[j0:j1])
	}
	return part
}

// sum returns the sum of a number of each process, in process 0.
func (p *processes) sum(x int) int {
	if p == nil {
		return x
	}
	var b [8]byte
	if p.helper() {
		binary.LittleEndian.PutUint64(b[:], uint64(x))
		p.Exchange(0, b[:], nil)
		return x
	}
	for k := 1; k < p.Size(); k++ {
		p.Exchange(k, nil, b[:])
		x += int(binary.LittleEndian.Uint64(b[:]))
	}
	return x
}
