package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"nmu/internal/fileset"
	"nmu/internal/regular"
	"nmu/internal/render"
)

// File is a result.json that was read and checked as a whole. Every command that reads
// one reads it here.
type File struct {
	Text      []byte
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

// read reads the result.json in a folder, while no one writes there.
func read(dir string) (r *File, err error) {
	err = fileset.Read(dir, func() (err error) {
		r, err = load(dir)
		return err
	})
	return r, err
}

// ReadFactor reads the result.json that nmu factor has left in a folder.
func ReadFactor(dir string) (*File, error) {
	r, err := read(dir)
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

// load is read for callers that keep others from writing.
func load(dir string) (*File, error) {
	path := filepath.Join(dir, NameResult)
	text, err := regular.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s is damaged, or is not that of nmu factor or nmu transform: %w", path, err)
	}
	return r, nil
}

// Parse decodes a result.json, and returns an error if any of it is invalid.
func Parse(text []byte) (*File, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	r := &File{Text: text}
	switch {
	case members == nil:
		return nil, errors.New("it is no JSON object")
	case members["sha256_v"] != nil:
		r.Factor = new(Factor)
		err := decode(text, r.Factor, memberDivergence, memberHistory)
		r.Factor.Divergence = infinite(members, r.Factor.Divergence)
		return r, err
	case members["sha256_w"] != nil:
		r.Transform = new(Transform)
		err := decode(text, r.Transform, memberDivergence)
		r.Transform.Divergence = infinite(members, r.Transform.Divergence)
		return r, err
	}
	return r, nil
}

// The members that may be infinite, which is null.
const (
	memberDivergence = "relative_divergence"
	memberHistory    = "history"
)

// infinite returns x, or infinity if the member of the divergence is null.
func infinite(members map[string]json.RawMessage, x *render.Real) *render.Real {
	if string(members[memberDivergence]) == "null" {
		x = new(render.Real)
		*x = render.Real(math.Inf(1))
	}
	return x
}

// decode decodes JSON, in which nothing may be null but the members that may be infinite, and validates what
// it says.
func decode(text []byte, into interface{ validate() error }, infinite ...string) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	// Unmarshal takes null for any type, and leaves zero.
	for name, member := range members {
		if slices.Contains(infinite, name) {
			continue
		}
		for d := json.NewDecoder(bytes.NewReader(member)); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			if token == nil {
				return fmt.Errorf("%s: null is no value", name)
			}
		}
	}
	if err := json.Unmarshal(text, into); err != nil {
		return err
	}
	return into.validate()
}
