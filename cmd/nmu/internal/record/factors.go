package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"nmu/cmd/nmu/internal/input"
	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// ReadFactors reads V.npy and W.npy from a folder. If they are the result of a run,
// they must be those of one and the same. They stay within the memory that another file
// leaves.
func ReadFactors[T lnmu.Float](dir string, within *matio.File) (v, w lnmu.Dense[T], err error) {
	err = fileset.Read(dir, func() (err error) {
		if v, err = input.ReadFurther[T](filepath.Join(dir, NameV), within); err == nil {
			w, err = input.ReadFurther[T](filepath.Join(dir, NameW), within)
		}
		if err == nil {
			_, err = checkRecorded(dir, within, NameV, NameW)
		}
		return err
	})
	return v, w, err
}

// ReadFactorFile reads a factor from a file, or the file of the given name, V.npy or W.npy,
// from a folder, where it must be that of the result. It stays within the memory that
// another file leaves.
func ReadFactorFile[T lnmu.Float](path, name string, within *matio.File) (lnmu.Dense[T], error) {
	d, _, err := readFactorFile[T](path, name, within)
	return d, err
}

// ReadBasis is ReadFactorFile for V. It also returns the name of the method that found V, or
// nothing where no result.json of nmu factor says so.
func ReadBasis[T lnmu.Float](path string, within *matio.File) (v lnmu.Dense[T], method string, err error) {
	v, rec, err := readFactorFile[T](path, NameV, within)
	if rec != nil && rec.Factor != nil {
		method = rec.Factor.Method
	}
	return v, method, err
}

// readFactorFile is ReadFactorFile with the result, if the folder holds one.
func readFactorFile[T lnmu.Float](path, name string, within *matio.File) (d lnmu.Dense[T], rec *File, err error) {
	file := FactorPath(path, name)
	if file == path {
		d, err = input.ReadFurther[T](path, within)
		return d, nil, err
	}
	err = fileset.Read(path, func() (err error) {
		if d, err = input.ReadFurther[T](file, within); err == nil {
			rec, err = checkRecorded(path, within, name)
		}
		return err
	})
	return d, rec, err
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
// or if it is that of another program, the files are the user's own, unless a set is half in
// its place there.
func checkRecorded(dir string, within *matio.File, names ...string) (*File, error) {
	rec, err := load(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fileset.Unfinished(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; run it again, or remove %s to use the files as they are", err, NameResult)
	}
	sums, precision := map[string]string{}, ""
	if r := rec.Factor; r != nil {
		sums[NameV], sums[NameW], precision = r.SHA256V, r.SHA256W, r.Precision
	} else if r := rec.Transform; r != nil {
		sums[NameW], precision = r.SHA256W, r.Precision
	}
	for _, name := range names {
		if sums[name] == "" {
			if err := fileset.Unfinished(dir); err != nil {
				return nil, err
			}
			continue
		}
		sum, err := factorSum(filepath.Join(dir, name), precision, within)
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

// factorSum returns the SHA-256 of the values in a file, as the run of the given
// precision that wrote it had them. What it reads is gone afterwards.
func factorSum(path, precision string, within *matio.File) (string, error) {
	file, err := matio.Open(path, matio.Options{MaxMemory: max(within.Left(), 1)})
	if err != nil {
		return "", err
	}
	defer file.Close()
	if precision == "float32" {
		return sumOf[float32](file)
	}
	return sumOf[float64](file)
}

func sumOf[T lnmu.Float](file *matio.File) (sum string, err error) {
	d, err := input.Dense[T](file)
	if err == nil {
		err = file.Guard(func() error {
			sum = lnmu.SHA256(d)
			return nil
		})
	}
	return sum, err
}
