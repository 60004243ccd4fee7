package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"nmu/cmd/internal/flags"
	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/internal/regular"
	"nmu/internal/render"
)

// File is a result.json that was read and checked as a whole. Every command that reads
// one reads it here.
type File struct {
	Text      []byte
	Size      int64      // of all of it in memory, an upper bound in bytes
	Factor    *Factor    // of nmu factor
	Transform *Transform // of nmu transform; of another program if both are nil
}

// names returns the names of the rows of V and of the columns of W, or nil.
func (r *File) names() (rows, cols []string) {
	switch {
	case r.Factor != nil:
		return r.Factor.RowNames, r.Factor.ColNames
	case r.Transform != nil:
		return nil, r.Transform.ColNames
	}
	return nil, nil
}

// ReadFactor reads the result.json that nmu factor has left in a folder, while no one writes there. It
// takes at most limit bytes of memory, or those that are free if limit is 0.
func ReadFactor(dir string, limit flags.Size) (r *File, err error) {
	err = fileset.Read(dir, func() (err error) {
		r, err = load(dir, matio.Options{MaxMemory: cmp.Or(int64(limit), memory.Free())})
		return err
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s holds no results of nmu factor --out: %w", dir, err)
	case err != nil:
		return nil, err
	case r.Factor == nil:
		return nil, fmt.Errorf("%s is not that of nmu factor: it does not describe V and W", filepath.Join(dir, NameResult))
	}
	return r, nil
}

// load reads the result.json in a folder for callers that keep others from writing, in the memory of within.
func load(dir string, within matio.Options) (*File, error) {
	path := filepath.Join(dir, NameResult)
	text, size, err := readRecord(path, within)
	if err != nil {
		return nil, err
	}
	r, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s is damaged, or is not that of nmu factor or nmu transform: %w", path, err)
	}
	r.Size = size
	return r, nil
}

// readRecord reads a JSON file in the memory of within, and returns an upper bound of the bytes that it takes
// with what is decoded from it. The error is a *matio.MemoryError if that is more than there is.
func readRecord(path string, within matio.Options) (text []byte, size int64, err error) {
	if text, err = regular.ReadFile(path, regular.MostRecord); err != nil {
		return nil, 0, err
	}
	_, size, _ = render.Weigh(text)
	size += int64(len(text))
	if need := within.InUse + size; need > within.MaxMemory {
		return nil, 0, &matio.MemoryError{Path: path, What: "reading it", Need: need, Limit: within.MaxMemory}
	}
	return text, size, nil
}

// Parse decodes a result.json, and returns an error if any of it is invalid.
func Parse(text []byte) (*File, error) {
	members, err := render.Members(text)
	if err != nil {
		return nil, err
	}
	r := &File{Text: text}
	for name, value := range members {
		switch {
		case string(value) == "null":
		case name == "sha256_v":
			r.Factor, r.Transform = new(Factor), nil
		case name == "sha256_w" && r.Factor == nil:
			r.Transform = new(Transform)
		}
	}
	switch {
	case r.Factor != nil:
		return r, decode(text, r.Factor, &r.Factor.Divergence, memberHistory)
	case r.Transform != nil:
		return r, decode(text, r.Transform, &r.Transform.Divergence, "")
	}
	return r, nil
}

// The members that may be infinite, which is null.
const (
	memberDivergence = "relative_divergence"
	memberHistory    = "history"
)

// decode decodes a JSON object and validates what it says. Nothing in it may be null but the numbers of the
// history and, unless divergence is nil, the divergence. Those are infinite then.
func decode(text []byte, into interface{ validate() error }, divergence **render.Real, history string) error {
	members, err := render.Members(text)
	if err != nil {
		return err
	}
	infinite := false
	for name, value := range members { // Unmarshal takes null for any type, and leaves zero
		_, _, hasNull := render.Weigh(value)
		switch {
		case divergence != nil && name == memberDivergence:
			infinite = hasNull
		case hasNull && name != history:
			return fmt.Errorf("%s: null is no value", name)
		}
	}
	if err := json.Unmarshal(text, into); err != nil {
		return err
	}
	if infinite {
		*divergence = new(render.Real)
		**divergence = render.Real(math.Inf(1))
	}
	return into.validate()
}
