package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/internal/regular"
	"nmu/internal/render"
	"nmu/lnmu/outcome"
)

// File is a result.json that was read and checked as a whole. Every command that reads
// one reads it here.
type File struct {
	Text      []byte
	Size      int64      // of all of it in memory, an upper bound in bytes
	Factor    *Factor    // of nmu factor
	Transform *Transform // of nmu transform
	Head      *Head      // of either; nil for another program
}

// ReadFactor reads the result.json that nmu factor has left in a folder, while no one writes there. It
// takes at most limit bytes of memory, or those that are free if limit is 0.
func ReadFactor(dir string, limit int64) (r *File, err error) {
	err = fileset.Read(dir, func() (err error) {
		r, err = load(dir, matio.Options{MaxMemory: cmp.Or(limit, memory.Free())})
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
	schema, err := schemaOf(text)
	if err != nil {
		return nil, err
	}
	r := &File{Text: text}
	switch schema {
	case FactorSchema:
		r.Factor = new(Factor)
		r.Head, err = &r.Factor.Head, decode(text, r.Factor)
	case TransformSchema:
		r.Transform = new(Transform)
		r.Head, err = &r.Transform.Head, decode(text, r.Transform)
	default:
		if strings.HasPrefix(schema, "nmu-") {
			err = fmt.Errorf("its schema is %q, of another version of this program", schema)
		}
	}
	return r, err
}

// schemaOf returns the schema of a JSON object. It is empty for one of another program. The files of versions that
// wrote none have hashes instead.
func schemaOf(text []byte) (schema string, err error) {
	members, err := render.Members(text)
	if err != nil {
		return "", err
	}
	for name, value := range members {
		switch {
		case name == "schema":
			json.Unmarshal(value, &schema)
		case schema == "" && (name == "sha256_v" || name == "sha256_w"):
			schema = "nmu-result/0"
		}
	}
	return schema, nil
}

// decoded is what a JSON object is decoded into.
type decoded interface {
	divergence() **outcome.Real // of the result; nil if it has none
	validate(c *checks)
}

// decode decodes a JSON object and validates what it says. Nothing in it may be null but numbers that may be
// infinite.
func decode(text []byte, into decoded) error {
	members, err := render.Members(text)
	if err != nil {
		return err
	}
	nulls, where, divergence := 0, "", false
	for name, value := range members { // Unmarshal takes null for any type, and leaves zero
		_, _, n := render.Weigh(value)
		if n > 0 {
			nulls, where = nulls+n, name
		}
		if name != "result" {
			continue
		}
		if parts, err := render.Members(value); err == nil {
			for part, value := range parts {
				divergence = divergence || part == "relative_divergence" && string(value) == "null"
			}
		}
	}
	if err := json.Unmarshal(text, into); err != nil {
		return err
	}
	if to := into.divergence(); divergence && to != nil {
		*to = new(outcome.Real(math.Inf(1)))
	}
	c := checks{nulls: nulls}
	into.validate(&c)
	if c.nulls > 0 {
		return fmt.Errorf("%s: null is no value", where)
	}
	return c.err
}

func (f *Found) divergence() **outcome.Real { return &f.Divergence }

func (w *Weights) divergence() **outcome.Real { return &w.Divergence }

func (r *Rank) divergence() **outcome.Real { return nil }
