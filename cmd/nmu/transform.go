package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/release"
	"nmu/kernel"
	"nmu/lnmu"
)

// transformFlags is the command line of nmu transform.
type transformFlags struct {
	basis string
	input
	seen       missingFlags
	precision  string
	under      bool
	iterations int
	tolerance  float64
	threads    int
	out        string
	write      []string
	force      bool
	json       bool
}

func transformCommand() *cobra.Command {
	var f transformFlags
	cmd := &cobra.Command{
		Use:   "transform BASIS INPUT",
		Short: "Find weights for new columns in a basis found before",
		Long: `Find weights W for the columns of the matrix M in INPUT in a given basis V:
the minimum of ||M - V W|| over W >= 0 or, with --under, over W >= 0, V W <= M,
which then holds without any tolerance. BASIS is the DIR of a previous run of
nmu factor, or a file with V. INPUT is as for nmu factor; M has as many rows as V.
The weights of a column do not depend on the other columns.

With --out, DIR receives W.npy, what --write asks for and result.json, or nothing; they
replace the result of an earlier run.`,
		Example: `  nmu transform g-out new-faces.mat --out weights
  nmu transform g-out/V.npy new-faces.mat --under --json
  nmu transform topics words.csv --out weights --write csv`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("transform wants a BASIS and an INPUT, got %d arguments; see nmu transform --help", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.basis, f.path = args[0], args[1]
			if err := f.check(cmd.Flags().Changed); err != nil {
				return misuse(err)
			}
			switch f.precision {
			case "float32":
				return runTransform[float32](cmd, &f)
			case "float64":
				return runTransform[float64](cmd, &f)
			}
			return misuse(fmt.Errorf("unknown precision %q; choose float32 or float64", f.precision))
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.BoolVar(&f.under, "under", false, "V W <= M, exactly in floating point")
	fs.IntVar(&f.iterations, "iters", 0, "at most `K` sweeps for a column (default 1000); not with\n--under")
	fs.Float64Var(&f.tolerance, "tol", 0, "a column is done when its KKT residual is at most `X`\n(default 1e-6, or 1e-4 for float32); not with --under")
	fs.IntVar(&f.threads, "threads", 0, "number `P` of threads; the result does not depend on it\n(default: all processors)")
	fs.StringVar(&f.precision, "precision", "float64", "`TYPE`: float32 or float64")
	f.input.add(fs, "take the rows of INPUT for the new columns")
	f.seen.add(fs)
	fs.StringVar(&f.out, "out", "", "folder `DIR` for the results (default: print only)")
	fs.StringSliceVar(&f.write, "write", []string{formatNpy}, "`FORMATS` of W in DIR beside npy, which is always there:\ncsv (a table with names), mat (MATLAB)")
	fs.BoolVar(&f.force, "force", false, "write to DIR although it holds files that are not of an\nearlier run")
	fs.BoolVar(&f.json, "json", false, "print result.json instead of a table")
	knows(fs, "precision", precisions, false)
	knows(fs, "write", weightFormats, false)
	return cmd
}

// weightFormats are the formats of --write.
var weightFormats = []string{formatNpy, formatCSV, formatMat}

// check rejects values that would stand for a default.
func (f *transformFlags) check(given func(flag string) bool) error {
	switch {
	case given("iters") && f.iterations < 1:
		return fmt.Errorf("--iters %d; choose 1 or more", f.iterations)
	case given("tol") && !(f.tolerance > 0):
		return fmt.Errorf("--tol %v; choose a number > 0", f.tolerance)
	case given("threads") && f.threads < 1 || f.threads > maxThreads:
		return fmt.Errorf("--threads %d; choose 1 to %d", f.threads, maxThreads)
	case given("out") && f.out == "":
		return fmt.Errorf("--out is empty; name a folder")
	case given("write") && f.out == "":
		return errors.New("--write says how to write; --out says where")
	}
	return checkFormats(f.write, weightFormats)
}

// runTransform is nmu transform in one precision.
func runTransform[T lnmu.Float](cmd *cobra.Command, f *transformFlags) error {
	file, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer file.Close()
	v, err := readSide[T](f.basis, nameV, file)
	if err != nil {
		return fmt.Errorf("BASIS: %w", err)
	}
	if f.out != "" {
		if err := checkWeights(f.out, f.basis, f.force); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	seen, err := f.seen.read(&f.input, file)
	if err != nil {
		return err
	}
	_, cols := file.Dims()
	partial := seen.gaps || seen.mask != nil || seen.weights != nil
	if err := file.Reserve(transformMemory(v, cols, f.under, threadCount(f.threads), partial), fmt.Sprintf("finding its weights at rank %d", v.Cols)); err != nil {
		return err
	}
	m, err := readMatrix[T](file)
	if err != nil {
		return inputHint(err)
	}
	f.say(cmd, file)
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	begun := time.Now()
	var res *lnmu.Transformed[T]
	err = file.Guard(func() (err error) {
		if seen.gaps {
			seen.mask = seen.mask.And(lnmu.MaskOf[T](m))
		}
		res, err = lnmu.Transform(ctx, v, m, &lnmu.TransformSettings{
			Feasible: f.under, Iterations: f.iterations, Tolerance: f.tolerance, Threads: f.threads,
			Observed: seen.mask, Weights: seen.weights,
		})
		return err
	})
	if errors.Is(err, matio.ErrChanged) {
		return err
	}
	if err != nil {
		var bad *lnmu.ValueError
		errors.As(err, &bad)
		return markInterrupted(ctx, fmt.Errorf("basis %s, input %s: %w%s%s", f.basis, f.path, err,
			turned(m.Rows, m.Cols, v.Rows, f.transpose), namesOf(file, bad)))
	}
	rep := transformReport{
		Version: release.Version(), Basis: f.basis, Input: f.path, Variable: f.variable, Transpose: f.transpose,
		Rows: m.Rows, Cols: m.Cols, Rank: v.Cols, Under: f.under, Precision: f.precision, Level: kernel.Level(),
		Seconds: time.Since(begun).Seconds(), Stop: res.Stop, Iterations: res.Iterations, KKT: res.KKT,
		RelativeError: res.RelativeError, MaxViolation: res.MaxViolation, SHA256W: lnmu.SHA256(res.W),
		partly: partlyOf(seen.mask, seen.weights),
	}
	var written []string
	if f.out != "" {
		files := factorFiles(f.write, matio.Variable[T]{Name: "W", Labelled: labelled(res.W, nil, file.ColNames())})
		files = append(files, fileset.File{Name: nameResult, Write: func(path string) error { return matio.WriteFile(path, rep.writeJSON) }})
		written, rep.Files, err = fileset.Write(f.out, files, nameResult)
		if err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if f.json {
		err = rep.writeJSON(cmd.OutOrStdout())
	} else {
		err = rep.writeTable(cmd.OutOrStdout(), f.out, written)
	}
	return cmp.Or(err, unconverged(f.tolerance > 0, res.Stop))
}

// checkWeights reports whether the weights can be written to the folder out, where
// they replace the result of an earlier run: not if that is the one of the basis.
func checkWeights(out, basis string, force bool) error {
	if err := checkFolder(out, []string{nameW, nameWTable, nameMat, nameResult}, force); err != nil {
		return err
	}
	earlier, err := fileset.Recorded(out, nameResult)
	if err != nil {
		return err
	}
	there, err := os.Stat(filepath.Join(out, nameV))
	if err != nil || earlier[nameV] == "" {
		return nil
	}
	if here, err := os.Stat(factorPath(basis, nameV)); err == nil && os.SameFile(there, here) {
		return fmt.Errorf("%s holds the basis and its weights, which would be replaced; choose another folder", out)
	}
	return nil
}
