package fileset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"nmu/internal/regular"
)

// Add writes a file to the folder dir and adds it to the set there. The record lists the file;
// its other members do not change. If there is an error, dir is unchanged. No one else writes
// to the folder while the file is produced.
func Add(dir string, file File, record string) error {
	f, err := lockFolder(dir)
	if err != nil {
		return err
	}
	defer f.close()
	if err := f.open(); err != nil {
		return err
	}
	if err := f.settle(); err != nil {
		return err
	}
	if err := f.checkNames([]string{file.Name}); err != nil {
		return err
	}
	text, sums, err := readRecord(filepath.Join(f.path, record))
	if err != nil {
		return err
	}
	s, err := f.newStage()
	if err != nil {
		return err
	}
	defer s.remove()
	path := s.path(newFiles, file.Name)
	if err := file.Write(path); err != nil {
		return err
	}
	if sums[file.Name], err = sumOf(path); err != nil {
		return err
	}
	fresh := s.path(newFiles, record)
	if err := writeSynced(fresh, text); err != nil {
		return err
	}
	if err := list(fresh, sums); err != nil {
		return err
	}
	s.Last, s.Files[file.Name] = record, sums[file.Name]
	if s.Files[record], err = sumOf(fresh); err != nil {
		return err
	}
	syncFolder(s.path(newFiles))
	return s.commit()
}

// readRecord returns the record at path without its list of files, and the list.
func readRecord(path string) (text []byte, sums map[string]string, err error) {
	text, err = regular.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	sums = map[string]string{}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, fmt.Errorf("%s: a record is a JSON object", path)
	}
	for d.More() {
		begin := d.InputOffset()
		name, err := d.Token()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		if name == "files" && json.Unmarshal(value, &sums) == nil {
			return slices.Concat(text[:begin], text[d.InputOffset():]), sums, nil
		}
	}
	return text, sums, nil
}
