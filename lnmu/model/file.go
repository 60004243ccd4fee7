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
	"time"

	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/regular"
	"nmu/internal/release"
	"nmu/lnmu"
)

// about is what model.json says, in the words of result.json.
type about struct {
	Version   string            `json:"version"`
	Method    string            `json:"method"`
	Options   map[string]string `json:"options,omitempty"`
	Scale     string            `json:"scale,omitempty"`
	Precision string            `json:"precision"`
	Rank      int               `json:"rank"`
	RowNames  []string          `json:"row_names,omitempty"`
	SHA256V   string            `json:"sha256_v"`
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
	method := cmp.Or[lnmu.Method](m.Method, lnmu.RNMU{})
	if err := m.check(); err != nil {
		return err
	}
	a := about{
		Version: release.Version(), Method: method.Describe().Name, Options: options.Text(method), Precision: precision[T](),
		Rank: m.V.Cols, RowNames: m.RowNames, SHA256V: lnmu.SHA256(m.V),
	}
	if m.Topics {
		a.Scale = scaleTopics
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

// precision returns the word for the type of the numbers.
func precision[T lnmu.Float]() string {
	if _, single := any(T(0)).(float32); single {
		return "float32"
	}
	return "float64"
}

// Is reports whether there is a file of a model at path. A folder is none.
func Is(path string) bool {
	_, err := readMember(path)
	return err == nil
}

// Read reads a model from a file that Save has written, or from the folder of a run of nmu factor.
// Numbers of the other precision are converted. Errors name the path.
func Read[T lnmu.Float](path string) (m *Model[T], err error) {
	return m, described(path, func(a about, basis string) (err error) {
		m, err = open[T](a, basis)
		return err
	})
}

// Precision returns the precision of the numbers of a model that Read reads: float32 or float64.
func Precision(path string) (word string, err error) {
	return word, described(path, func(a about, _ string) error {
		word = a.Precision
		return nil
	})
}

// described hands on what a file or a folder says of its model, and the path of the basis.
func described(path string, use func(a about, basis string) error) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	read := func(text []byte, err error, basis string) error {
		if err != nil {
			return err
		}
		var a about
		if err := json.Unmarshal(text, &a); err != nil {
			return fmt.Errorf("its description is damaged: %w", err)
		}
		return use(a, basis)
	}
	if info.IsDir() {
		err = fileset.Read(path, func() error {
			text, err := regular.ReadFile(filepath.Join(path, resultName))
			return read(text, err, filepath.Join(path, basisName))
		})
	} else {
		text, failed := readMember(path)
		err = read(text, failed, path)
	}
	if err != nil {
		return fmt.Errorf("model %s: %w", path, err)
	}
	return nil
}

// open reads a model that a describes, and whose basis lies in a file.
func open[T lnmu.Float](a about, basis string) (m *Model[T], err error) {
	m = &Model[T]{RowNames: a.RowNames, Topics: a.Scale == scaleTopics}
	if m.Method, err = options.Method(a.Method, a.Options); err != nil {
		return nil, err
	}
	var sum string
	switch a.Precision {
	case precision[T]():
		m.V, err = readBasis[T](basis)
		sum = lnmu.SHA256(m.V)
	case "float32":
		m.V, sum, err = converted[T, float32](basis)
	case "float64":
		m.V, sum, err = converted[T, float64](basis)
	default:
		return nil, fmt.Errorf("its precision is %q; want float32 or float64", a.Precision)
	}
	switch {
	case err != nil:
		return nil, err
	case sum != a.SHA256V:
		return nil, errors.New("the basis V is not that of the description: one of them was changed")
	}
	return m, m.check()
}

// converted reads a basis of another precision, and returns the hash that it has there.
func converted[T, P lnmu.Float](path string) (lnmu.Dense[T], string, error) {
	v, err := readBasis[P](path)
	if err != nil {
		return lnmu.Dense[T]{}, "", err
	}
	to := lnmu.NewDense[T](v.Rows, v.Cols, nil)
	for i := range v.Rows {
		for k, x := range v.Row(i) {
			to.Row(i)[k] = T(x)
		}
	}
	return to, lnmu.SHA256(v), nil
}

// readBasis reads V into memory of its own.
func readBasis[T lnmu.Float](path string) (v lnmu.Dense[T], err error) {
	var opt matio.Options
	if filepath.Base(path) != basisName {
		opt = matio.Options{Var: "V", Format: "npz"}
	}
	file, err := matio.Open(path, opt)
	if err != nil {
		return v, err
	}
	defer file.Close()
	rows, cols, data, err := matio.Dense[T](file)
	if err != nil {
		return v, err
	}
	v = lnmu.NewDense[T](rows, cols, nil)
	return v, file.Guard(func() error {
		copy(v.Data, data)
		return nil
	})
}

// mostAbout is a limit for the bytes of model.json, for names of millions of rows.
const mostAbout = 1 << 28

// readMember reads model.json of a file.
func readMember(path string) ([]byte, error) {
	file, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(file, info.Size())
	if err != nil {
		return nil, fmt.Errorf("it is neither the folder of a run nor a file of a model: %w", err)
	}
	member, err := archive.Open(aboutName)
	if err != nil {
		return nil, fmt.Errorf("it is a file without a model: %w", err)
	}
	defer member.Close()
	text, err := io.ReadAll(io.LimitReader(member, mostAbout+1))
	if err == nil && len(text) > mostAbout {
		err = fmt.Errorf("%s is larger than %d bytes", aboutName, mostAbout)
	}
	return text, err
}
