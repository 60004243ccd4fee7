package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"nmu/internal/data"
	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/model"
)

// ReadFactors reads V.npy and W.npy from a folder. If they are the result of a run,
// they must be those of one and the same. The rows of V and the columns of W are brought into
// the order of the rows and columns of M, which the file m holds, if both have names. They stay
// within the memory that m leaves.
func ReadFactors[T lnmu.Float](dir string, m *matio.File) (v, w lnmu.Dense[T], err error) {
	x, _, err := readSet[T](dir, m, NameV, NameW)
	return x[0], x[1], err
}

// ReadSums reads the basis of a run that goes on with new columns, and its sums of products, within the memory
// that m leaves. Rows are brought into the order of the rows of M, as those of ReadFactors.
func ReadSums[T lnmu.Float](dir string, m *matio.File) (past lnmu.Updated[T], err error) {
	x, _, err := readSet[T](dir, m, NameV, NameWW, NameMW)
	return lnmu.Updated[T]{V: x[0], WW: x[1], MW: x[2]}, err
}

// readSet reads files of a folder that are part of one result, if it holds one, which it returns as well.
func readSet[T lnmu.Float](dir string, m *matio.File, names ...string) (all []lnmu.Dense[T], rec *File, err error) {
	files := make([]data.Further[T], len(names))
	err = fileset.Read(dir, func() (err error) {
		for i, name := range names {
			if files[i], err = data.ReadFurther[T](filepath.Join(dir, name), m, matio.Options{Own: true}); err != nil {
				return err
			}
		}
		rec, err = checkRecorded(dir, m, names...)
		return err
	})
	for i, x := range files {
		if err == nil && names[i] != NameWW { // which has neither rows nor columns of M
			err = match(names[i], &x, rec, m)
		}
		all = append(all, x.Dense)
	}
	return all, rec, err
}

// ReadFactorFile reads a factor from a file, or the file of the given name, V.npy or W.npy,
// from a folder, where it must be that of the result. The factor is brought into the order of
// the rows or columns of M, and stays within the memory, like those of ReadFactors.
func ReadFactorFile[T lnmu.Float](path, name string, m *matio.File) (lnmu.Dense[T], error) {
	d, _, err := readFactorFile[T](path, name, m)
	return d, err
}

// ReadFixed reads the parts of the factors that settings fix in files or folders, as ReadFactorFile does.
func ReadFixed(r *options.Run, m *matio.File) (v, w lnmu.Dense[float64], err error) {
	for _, x := range []struct {
		setting, path, name string
		to                  *lnmu.Dense[float64]
	}{{"fix-v", r.FixV, NameV, &v}, {"fix-w", r.FixW, NameW, &w}} {
		if x.path == "" {
			continue
		}
		if *x.to, err = ReadFactorFile[float64](x.path, x.name, m); err != nil {
			return v, w, fmt.Errorf("%s: %w", m.Setting(x.setting, ""), err)
		}
	}
	return v, w, nil
}

// ReadBasis is ReadFactorFile for V, or for the basis of a model. It also returns the report of the
// run that found V, or nil where no result.json of nmu factor is beside a file. A folder must hold one. Of a model
// the report has the method, its options and the scale.
func ReadBasis[T lnmu.Float](path string, m *matio.File) (v lnmu.Dense[T], run *Factor, err error) {
	if model.Is(path) {
		kept, err := model.ReadWithin[T](path, max(1, m.Left()))
		if err != nil {
			return v, nil, err
		}
		x := data.Further[T]{Dense: kept.V, Path: path, RowNames: kept.RowNames}
		run = new(Factor)
		run.Settings.Method, run.Settings.Options = kept.Method.Name(), options.Text(kept.Method)
		if kept.Topics {
			run.Settings.Scale = ScaleTopics
		}
		err = x.MatchRows(m)
		return x.Dense, run, err
	}
	v, rec, err := readFactorFile[T](path, NameV, m)
	if rec != nil {
		run = rec.Factor
	}
	if file := FactorPath(path, NameV); err == nil && run == nil && file != path {
		err = fmt.Errorf("%s holds no %s of nmu factor, which says how V was found; choose %s for V alone", path, NameResult, file)
	}
	return v, run, err
}

// readFactorFile is ReadFactorFile with the result, if the folder holds one.
func readFactorFile[T lnmu.Float](path, name string, m *matio.File) (d lnmu.Dense[T], rec *File, err error) {
	file := FactorPath(path, name)
	var x data.Further[T]
	if file == path {
		if x, err = data.ReadFurther[T](path, m, matio.Options{}); err == nil {
			err = match(name, &x, recordBeside(path, name, m), m)
		}
		return x.Dense, nil, err
	}
	all, rec, err := readSet[T](path, m, name)
	return all[0], rec, err
}

// recordBeside returns the result that a file of the given name is part of, or nil.
func recordBeside(path, name string, m *matio.File) *File {
	dir, file := filepath.Split(path)
	if file != name {
		return nil
	}
	rec, err := checkRecorded(filepath.Clean(dir), m, name)
	if err != nil {
		return nil // the file is the user's own
	}
	return rec
}

// match brings the factor of the given name into the order of M, which the file m holds. A .npy
// file has the names of its result, if there is one.
func match[T lnmu.Float](name string, x *data.Further[T], rec *File, m *matio.File) error {
	if rec != nil && rec.Head != nil {
		x.RowNames, x.ColNames = rec.Head.RowNames, rec.Head.ColNames
	}
	if name == NameV || name == NameMW {
		return x.MatchRows(m)
	}
	return x.MatchCols(m)
}

// FactorPath returns the path of a factor: that of a file, or of the file of the given
// name in a folder.
func FactorPath(path, name string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, name)
	}
	return path
}

// checkRecorded compares factors in a folder with result.json, which is written
// last: where it has their sums they must agree. It returns what result.json says. Without it,
// or if it is that of another program, the files are the user's own.
func checkRecorded(dir string, within *matio.File, names ...string) (*File, error) {
	rec, err := load(dir, within.Shared())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if errors.Is(err, matio.ErrTooLarge) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w; run it again, or remove %s to use the files as they are", err, NameResult)
	}
	var sums map[string]string
	if r := rec.Factor; r != nil {
		sums = map[string]string{NameV: r.SHA256V, NameW: r.SHA256W, NameWW: r.SHA256WW, NameMW: r.SHA256MW}
	} else if r := rec.Transform; r != nil {
		sums = map[string]string{NameW: r.SHA256W}
	}
	for _, name := range names {
		if sums[name] == "" {
			continue
		}
		of := sumOf[float64]
		if rec.Head.Settings.Precision == "float32" {
			of = sumOf[float32]
		}
		sum, err := of(filepath.Join(dir, name), within)
		if err != nil {
			return nil, err
		}
		if sum != sums[name] {
			return nil, fmt.Errorf("%s is not that of %s: a run was cut short, or one of them was changed; "+
				"run it again, or remove %s to use the file as it is", filepath.Join(dir, name), NameResult, NameResult)
		}
	}
	return rec, nil
}

// sumOf returns the SHA-256 of the values in a file, as the run of precision T that wrote it had them. What it reads is
// gone afterwards.
func sumOf[T lnmu.Float](path string, within *matio.File) (sum string, err error) {
	file, err := matio.Open(path, within.Shared())
	if err != nil {
		return "", err
	}
	defer file.Close()
	d, err := data.Dense[T](file)
	if err == nil {
		err = file.Guard(func() error {
			sum = factors.SHA256(d)
			return nil
		})
	}
	return sum, err
}
