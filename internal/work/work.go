package work

import (
	"errors"

	"nmu/internal/matio"
	"nmu/internal/page"
	"nmu/lnmu"
)

// storage is a matrix M, or the part of it that this process has, where a run has it: in memory or in its file,
// dense or sparse. All processes call its methods, the same ones in the same order.
type storage[T lnmu.Float] interface {
	// open reads the rows and columns of a plan, or opens them, if there is memory for the run.
	open(p Plan) error

	// need returns what the run takes, and reserves the memory. It sets where the run may write.
	need(p *Plan) (lnmu.Estimate, error)

	matrix() lnmu.Matrix[T]
	page(p Plan) page.Source[T] // M for the page
	entries() int               // that a sparse M stores in all processes
}

// gapped is a storage of a matrix that may have missing entries of its own.
type gapped interface {
	// gaps returns the mask of a plan without the entries that are no numbers. The mask may change.
	gaps(p Plan) (*lnmu.Mask, error)
}

// onDisk is a storage in a file.
type onDisk interface {
	// traffic says what goes between memory and disk, and how long an iteration takes for it.
	traffic(needs lnmu.Estimate) string
}

// storageOf returns the storage of a matrix: memory, or its file if memory is not enough and the job allows that.
func storageOf[T lnmu.Float](t *Task[T]) (storage[T], error) {
	file, j, p := t.File, &t.Job, t.Plan
	dense := !t.sparse()
	switch {
	case t.M != nil:
		return &inMemory[T]{Call: &t.Call, m: t.M}, nil
	case dense && j.All.Any(wanted[T](j, file, p)):
		return &denseFile[T]{Call: &t.Call}, nil
	case dense || j.most() == 0:
		return &inMemory[T]{Call: &t.Call}, nil
	}
	parts, err := matio.OpenParts(j.Path, matio.Options{Var: j.Variable, Transpose: j.Transpose, MaxMemory: j.most(), Codes: j.Codes(), Negative: matio.Negative(j.Negative)})
	if errors.Is(err, matio.ErrUnsupported) {
		return &inMemory[T]{Call: &t.Call, elsewhere: true}, j.All.Agree(nil, "another type of file")
	}
	s := &sparseFile[T]{Call: &t.Call}
	if err == nil {
		file.AtClose(func() { parts.Close() })
		s.m.Parts = parts
		s.whole, err = s.inMemory(p)
	}
	if err := j.All.Agree(err, "a folder with a sparse matrix"); err != nil {
		return nil, err
	}
	if j.All.Any(s.whole > j.Memory) { // in a library M stays where it is
		return s, nil
	}
	return &inMemory[T]{Call: &t.Call}, nil
}
