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
func Add(dir string, file File, record string) (err error) {
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
	text, sums, err := f.readRecord(record)
	if err != nil {
		return err
	}
	s, err := f.newStage()
	if err != nil {
		return f.named(err, dir)
	}
	defer func() {
		s.remove()
		err = f.named(err, dir)
	}()
	if err := create(s.fresh, file.Name, file.Write); err != nil {
		return err
	}
	if err := s.sum(file.Name); err != nil {
		return err
	}
	sums[file.Name] = s.Files[file.Name]
	if text, err = withList(record, text, sums); err != nil {
		return err
	}
	s.Last = record
	if err := create(s.fresh, record, content(text)); err != nil {
		return err
	}
	if err := s.sum(record); err != nil {
		return err
	}
	syncFolder(s.fresh)
	return s.commit()
}

// readRecord returns the record in the folder without its list of files, and the list.
func (f *folder) readRecord(record string) (text []byte, sums map[string]string, err error) {
	path := filepath.Join(f.path, record)
	text, err = regular.ReadIn(f.root, record)
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
