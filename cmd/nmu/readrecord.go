package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"nmu/internal/fileset"
	"nmu/internal/regular"
)

// record is a result.json that was read and checked as a whole. Every command that reads
// one reads it here.
type record struct {
	text      []byte
	factor    *report          // of nmu factor
	transform *transformReport // of nmu transform; of another program if both are nil
}

// readRecord reads the result.json in a folder, while no one writes there.
func readRecord(dir string) (r *record, err error) {
	err = fileset.Read(dir, func() (err error) {
		r, err = loadRecord(dir)
		return err
	})
	return r, err
}

// readFactorRecord reads the result.json that nmu factor has left in a folder.
func readFactorRecord(dir string) (*record, error) {
	r, err := readRecord(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s holds no results of nmu factor --out: %w", dir, err)
	case err != nil:
		return nil, err
	case r.factor == nil:
		return nil, fmt.Errorf("%s is not that of nmu factor: it does not describe V and W", filepath.Join(dir, nameResult))
	}
	return r, nil
}

// loadRecord is readRecord for those who see to it that no one writes.
func loadRecord(dir string) (*record, error) {
	path := filepath.Join(dir, nameResult)
	text, err := regular.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, err := parseRecord(text)
	if err != nil {
		return nil, fmt.Errorf("%s is damaged, or is not that of nmu factor or nmu transform: %w", path, err)
	}
	return r, nil
}

// parseRecord returns what a result.json says, if all of it can be so.
func parseRecord(text []byte) (*record, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	r := &record{text: text}
	switch {
	case members == nil:
		return nil, errors.New("it is no JSON object")
	case members["sha256_v"] != nil:
		r.factor = new(report)
		return r, decodeWhole(text, r.factor)
	case members["sha256_w"] != nil:
		r.transform = new(transformReport)
		return r, decodeWhole(text, r.transform)
	}
	return r, nil
}

// decodeWhole decodes JSON, in which nothing may be null, and validates what it says.
func decodeWhole(text []byte, into interface{ validate() error }) error {
	// Unmarshal takes null for any type, and leaves zero.
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if token == nil {
			return fmt.Errorf("byte %d: null is no value", d.InputOffset()-int64(len("null")))
		}
	}
	if err := json.Unmarshal(text, into); err != nil {
		return err
	}
	return into.validate()
}
