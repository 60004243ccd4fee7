package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/program"
	"nmu/internal/checkpoint"
	"nmu/internal/data"
	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/record"
	"nmu/internal/render"
	"nmu/internal/work"
	"nmu/kernel"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/outcome"
	"nmu/lnmu/topics"
)

// transformFlags is the command line of nmu transform.
type transformFlags struct {
	basis string
	input.Matrix
}

func transformCommand() *program.Command {
	var f transformFlags
	return &program.Command{
		Of: options.Transform, Run: &f.Run, Without: []string{"init"},
		First: []string{"feasible", "sum-to-one", "divergence", "iterations", "tolerance", "threads", "precision", "out", "write", "force", "json"},
		Use:   "transform BASIS INPUT",
		Short: "Compute weights of new columns in a given basis",
		Long: `Find weights W for the columns of the matrix M in INPUT in a given basis V.
W minimises ||M - V W|| subject to W >= 0 and, with --feasible, to V W <= M, which then
holds without any tolerance. With --sum-to-one the entries of each column of W add up to
1, as the shares of materials in a pixel do. With --divergence W minimises the
Kullback-Leibler divergence of M from V W.
BASIS is the DIR of a previous run of nmu factor, with its result.json, a model that Go's
package model has saved, or a file with V. INPUT is as for nmu factor. M has as many rows
as V; if the rows of both have names, they are matched by name. The weights of a column do
not depend on the other columns. A column without an observed entry gets NaN. A sparse
matrix becomes dense with --dense, or if entries are missing, weighted or left out.
Rows that the run of BASIS has left out, which are NaN in V, do not count.

Of a DIR or a model the settings of its run are the defaults: --divergence after
--method kl, --sum-to-one after --sum-to-one w, and of a DIR its --missing.
--divergence=false and --sum-to-one=false turn them off. A file with V says nothing of
them.

With --out, DIR receives W.npy, result.json and the files of --write, and after --scale
topics mixtures.npy. They are written atomically and replace those of the previous run.`,
		Example: `  nmu transform g-out new-faces.mat --out weights
  nmu transform g-out/V.npy new-faces.mat --feasible --json
  nmu transform spectra.csv scene.hdr --sum-to-one --out abundances
  nmu transform topics words.csv --out weights --write csv`,
		Least: 2, Most: 2, Takes: "a BASIS and an INPUT, got %d arguments",
		Do: func(c *program.Call) error {
			f.basis, f.Path = c.Args[0], c.Args[1]
			if err := f.check(c.Given); err != nil {
				return exit.Misuse(err)
			}
			if run, err := record.ReadFactor(f.basis, f.MaxMemory); err == nil && run.Factor != nil { // ReadBasis returns the error
				f.Inherit(&run.Factor.Settings.Run, c.Given, func(s options.Setting) bool { return s.Reads() && !options.OfFile(s) })
			}
			return c.With(&f.Matrix, nil, func(m program.Open) error {
				return program.InPrecision(f.Precision, func() error { return runTransform[float32](c, &f, m) }, func() error { return runTransform[float64](c, &f, m) })
			})
		},
	}
}

// check rejects values that would stand for a default.
func (f *transformFlags) check(given func(flag string) bool) error {
	switch {
	case given("tolerance") && f.Tolerance == 0:
		return errors.New("--tolerance 0; choose a number > 0")
	case f.Transform.Divergence && (f.Transform.Feasible || f.Transform.SumToOne):
		return errors.New("--divergence does not go with --feasible or --sum-to-one, for which there is no solver; choose one of them")
	case given("write") && f.Out == "":
		return errors.New("--write says how to write; --out says where")
	}
	return nil
}

// runTransform is nmu transform in one precision.
func runTransform[T lnmu.Float](c *program.Call, f *transformFlags, open program.Open) error {
	file, ctx := open.File, open.Context
	v, run, err := record.ReadBasis[T](f.basis, file)
	if err != nil {
		return exit.MarkInterrupted(ctx, fmt.Errorf("BASIS: %w", err))
	}
	if run != nil && !f.Transform.Feasible && !f.Transform.SumToOne && !f.Transform.Divergence {
		f.Transform.Divergence = !c.Given("divergence") && run.Settings.Method == lnmu.KL{}.Name()
		f.Transform.SumToOne = !c.Given("sum-to-one") && run.Settings.Options["sum-to-one"] == "w"
	}
	folder, err := openWeights(f.Out, f.basis, f.Force)
	if err != nil {
		return err
	}
	defer folder.Close()
	m := work.Call[T]{Job: work.Job{Path: f.Path, Run: f.Run}, File: file}
	if err := m.Select(options.Transform, &data.Request{Run: &f.Run}, false); err != nil {
		return err
	}
	rows, cols := file.Dims()
	if run == nil && v.Cols > cols {
		c.Note("BASIS has %s and INPUT has %d; BASIS comes first, in case they are exchanged", render.Plural(v.Cols, "column"), cols)
	}
	f.Say(c.Console, file)
	res, err := m.Transform(ctx, v, lnmu.Dense[T]{})
	if bad := (*lnmu.ValueError)(nil); err != nil {
		if errors.As(err, &bad) || errors.Is(err, lnmu.ErrShape) || errors.Is(err, lnmu.ErrOption) {
			err = fmt.Errorf("basis %s, input %s: %w%s%s", f.basis, f.Path, err, input.TransposeHint(rows, cols, v.Rows, f.Transpose), input.Names(file, bad)+data.ValueHint(bad, file))
		}
		return exit.MarkInterrupted(ctx, input.Hint(err))
	}
	for _, text := range res.Notes {
		c.Note("%s", text)
	}
	how := record.NewSettings[T](f.Run, f.Settings)
	how.Basis = f.basis
	rep := record.NewTransform(record.Matrix{Input: f.Path, Rows: rows, Cols: cols, ColNames: file.ColNames(), Partial: record.Partial{
		Missing: m.Seen.Mask.Missing() + m.Seen.Lines.Missing(), Weighted: m.Seen.Weights != nil,
	}}, how)
	rep.Fit, rep.Rank, rep.Level, rep.Seconds, rep.SHA256W = res.Fit, v.Cols, kernel.Level(), res.Took.Seconds(), factors.SHA256(res.W)
	if f.Transform.Divergence {
		rep.Divergence = (*outcome.Real)(&res.RelativeDivergence)
		if math.IsInf(res.RelativeDivergence, 1) {
			rep.Notes = append(rep.Notes, record.InfiniteDivergence)
		}
	}
	weights := []matio.Variable[T]{{Name: "W", Labelled: record.Labelled(res.W, nil, rep.ColNames)}}
	if folder != nil && run != nil && run.Settings.Scale == record.ScaleTopics {
		weights = append(weights, matio.Variable[T]{Name: "mixtures", Labelled: record.Labelled(topics.Mixtures(res.W), nil, rep.ColNames)})
	}
	files := append(record.FactorFiles(f.Write, weights...), fileset.File{Name: record.NameResult, Write: rep.WriteJSON})
	written, sums, err := folder.Write(files)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	rep.Files = sums
	err = rep.Show(c.Out, f.JSON, f.Out, written)
	return cmp.Or(err, exit.Unconverged(f.Tolerance > 0, res.Stop))
}

// openWeights opens the folder out for weights. They may replace the result of an earlier run there,
// except the run that has the basis.
func openWeights(out, basis string, force bool) (*fileset.Folder, error) {
	own, err := record.TextIn(out, basis)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	names := []string{record.NameW, record.NameWTable, record.NameMat, record.NameMixtures, record.NameMixturesTable, record.NameResult}
	folder, err := record.OpenFolder(out, names, record.NameResult, own, force, checkpoint.Has)
	if rec, foreign := record.Parse(own); err == nil && foreign == nil && rec.Factor != nil {
		folder.Close()
		return nil, fmt.Errorf("--out: %s holds the basis and its weights, which would be replaced; choose another folder", out)
	}
	return folder, err
}
