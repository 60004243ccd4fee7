package model

import (
	"archive/zip"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unsafe"

	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/regular"
	"nmu/internal/release"
	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/factors"
)

// about is what model.json says, in the words of result.json.
type about struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Input   struct {
		RowNames []string `json:"row_names,omitempty"`
	} `json:"input"`
	Settings struct {
		Method    string            `json:"method"`
		Options   map[string]string `json:"options,omitempty"`
		Scale     string            `json:"scale,omitempty"`
		Precision string            `json:"precision"`
	} `json:"settings"`
	Result struct {
		Rank    int    `json:"rank"`
		SHA256V string `json:"sha256_v"`
	} `json:"result"`
}

// The members of a file, and those of a folder.
const (
	basisName  = "V.npy"
	aboutName  = "model.json"
	resultName = "result.json"
)

const scaleTopics = "topics" // the scale of a model with Topics

// Save writes the model to a .npz file. The file replaces an earlier one when it is complete. Errors
// are those of the file system, or wrap lnmu.ErrShape.
func (m *Model[T]) Save(path string) error {
	return matio.WriteFile(path, m.Encode)
}

// Encode writes the model as Save does. The same model gives the same bytes.
func (m *Model[T]) Encode(to io.Writer) error {
	method := cmp.Or[lnmu.Method](m.Method, lnmu.NMF{})
	if err := m.check(); err != nil {
		return err
	}
	a := about{Schema: "nmu-model/1", Version: release.Version()}
	a.Settings.Method, a.Settings.Options, a.Settings.Precision = method.Name(), options.Text(method), fmt.Sprintf("%T", T(0))
	a.Input.RowNames, a.Result.Rank, a.Result.SHA256V = m.RowNames, m.V.Cols, factors.SHA256(m.V)
	if m.Topics {
		a.Settings.Scale = scaleTopics
	}
	text, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	archive := zip.NewWriter(to)
	member, err := create(archive, basisName)
	if err == nil {
		err = matio.EncodeNpy(member, m.V.Rows, m.V.Cols, m.V.Data, m.V.Stride)
	}
	if err == nil {
		member, err = create(archive, aboutName)
	}
	if err == nil {
		_, err = member.Write(append(text, '\n'))
	}
	return errors.Join(err, archive.Close())
}

// create begins a member that is not compressed, with the least time that an archive can have.
func create(archive *zip.Writer, name string) (io.Writer, error) {
	return archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
}

// Is reports whether there is a file of a model at path. A folder is none.
func Is(path string) bool { return has(path) == nil }

// has returns an error unless there is a file at path with a description.
func has(path string) error {
	file, err := regular.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(file, info.Size())
	switch {
	case err != nil:
		return fmt.Errorf("it is neither the folder of a run nor a file of a model: %w", err)
	case !slices.ContainsFunc(archive.File, func(member *zip.File) bool { return member.Name == aboutName }):
		return fmt.Errorf("it is a file without a model: it has no member %s", aboutName)
	}
	return nil
}

// Read reads a model from a file that Save has written, or from the folder of a run of nmu factor, in the
// memory that is free. Numbers of the other precision are converted. Errors name the path.
func Read[T lnmu.Float](path string) (*Model[T], error) { return ReadWithin[T](path, 0) }

// ReadWithin is Read in at most maxMemory bytes, or in those that are free if it is 0. The error is one of
// memory, with the number of bytes that are needed, before they are taken.
func ReadWithin[T lnmu.Float](path string, maxMemory int64) (m *Model[T], err error) {
	return m, described(path, maxMemory, func(a about, file *matio.File) (err error) {
		m, err = open[T](a, file)
		return err
	})
}

// Precision returns the precision of the numbers of a model that ReadWithin reads: float32 or float64.
func Precision(path string, maxMemory int64) (word string, err error) {
	return word, described(path, maxMemory, func(a about, _ *matio.File) error {
		word = a.Settings.Precision
		return nil
	})
}

// described hands on what a file or a folder says of its model, and the open file of the basis.
func described(path string, maxMemory int64, use func(a about, file *matio.File) error) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	read := func(basis string, opt matio.Options, text func(file *matio.File) ([]byte, error)) error {
		opt.MaxMemory = maxMemory
		file, err := matio.Open(basis, opt)
		if err != nil {
			return err
		}
		defer file.Close()
		said, err := text(file)
		if err != nil {
			return err
		}
		a, err := parse(said, file)
		if err != nil {
			return err
		}
		return use(a, file)
	}
	if info.IsDir() {
		err = fileset.Read(path, func() error {
			return read(filepath.Join(path, basisName), matio.Options{}, func(file *matio.File) ([]byte, error) {
				text, err := regular.ReadFile(filepath.Join(path, resultName), min(regular.MostRecord, file.Left()))
				if err == nil {
					err = file.Reserve(int64(len(text)), "reading "+resultName)
				}
				return text, err
			})
		})
	} else if err = has(path); err == nil {
		err = read(path, matio.Options{Var: "V", Format: "npz"}, func(file *matio.File) ([]byte, error) {
			return file.ReadText(aboutName, regular.MostRecord)
		})
	}
	if err != nil {
		return fmt.Errorf("model %s: %w", path, err)
	}
	return nil
}

// source returns the name of the member, or of the file, that describes the basis in file.
func source(file *matio.File) string {
	if filepath.Base(file.Path()) == basisName {
		return resultName
	}
	return aboutName
}

// parse decodes the description of the basis in file, within the memory that the file leaves.
func parse(text []byte, file *matio.File) (a about, err error) {
	damaged := func(err error) error { return fmt.Errorf("%s is damaged: %w", source(file), err) }
	members, err := render.Members(text)
	if err != nil {
		return a, damaged(err)
	}
	rows, _ := file.Dims()
	for name, value := range members {
		if name != "input" {
			continue
		}
		input, err := render.Members(value)
		if err != nil {
			continue // as Unmarshal will say
		}
		for name, value := range input {
			if n, _, _ := render.Weigh(value); name == "row_names" && n > int64(rows) {
				return a, damaged(fmt.Errorf("it has %d names for the %d rows of V", n, rows))
			}
		}
	}
	_, size, _ := render.Weigh(text)
	if err := file.Reserve(size, "reading "+source(file)); err != nil {
		return a, err
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return a, damaged(err)
	}
	return a, nil
}

// open reads a model that a describes, and whose basis an open file holds.
func open[T lnmu.Float](a about, file *matio.File) (m *Model[T], err error) {
	m = &Model[T]{RowNames: a.Input.RowNames, Topics: a.Settings.Scale == scaleTopics}
	if m.Method, err = options.Method(a.Settings.Method, a.Settings.Options); err != nil {
		return nil, err
	}
	var sum string
	switch a.Settings.Precision {
	case "float32":
		m.V, sum, err = readBasis[T, float32](file)
	case "float64":
		m.V, sum, err = readBasis[T, float64](file)
	default:
		return nil, fmt.Errorf("its precision is %q; want float32 or float64", a.Settings.Precision)
	}
	switch {
	case err != nil:
		return nil, err
	case sum != a.Result.SHA256V:
		return nil, fmt.Errorf("%s is not that of %s: a run was cut short, or one of them was changed", basisName, source(file))
	}
	return m, m.check()
}

// readBasis reads a V of precision P into memory of its own, and returns the hash that it has in the file.
func readBasis[T, P lnmu.Float](file *matio.File) (v lnmu.Dense[T], sum string, err error) {
	rows, cols, data, err := matio.Dense[P](file)
	if err != nil {
		return v, "", err
	}
	if same, ok := any(data).([]T); ok && !file.Mapped() {
		v = lnmu.NewDense(rows, cols, same)
		return v, factors.SHA256(v), nil
	}
	if err := file.Reserve(int64(len(data))*int64(unsafe.Sizeof(T(0))), "reading it"); err != nil {
		return v, "", err
	}
	v = lnmu.NewDense[T](rows, cols, nil)
	err = file.Guard(func() error {
		for k, x := range data {
			v.Data[k] = T(x)
		}
		sum = factors.SHA256(lnmu.NewDense(rows, cols, data))
		return nil
	})
	return v, sum, err
}
