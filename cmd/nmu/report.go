package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/program"
	"nmu/internal/data"
	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/page"
	"nmu/internal/picture"
	"nmu/internal/record"
	"nmu/internal/regular"
	"nmu/internal/render"
	"nmu/internal/work"
	"nmu/lnmu"
	"nmu/lnmu/spectra"
)

// reportFlags is the command line of nmu report.
type reportFlags struct {
	dir string
	input.Matrix
}

func reportCommand() *program.Command {
	var f reportFlags
	return &program.Command{
		Of: options.Report, Run: &f.Run, First: []string{"out", "figures", "comparison", "library", "force", "image", "map", "image-order", "invert"},
		Use:   "report DIR [INPUT]",
		Short: "Write a page about a run, for a browser",
		Long: `Write report.html, one page about the run of nmu factor in DIR: its errors, the parts
and their weights, the residual M - V W, and single columns part by part. The page
needs no network and no other file. It is written to DIR, or to the path of --out.

The residual needs M. nmu reads it from the path of the run, or from INPUT if it has
moved. Without M the page lists the missing parts. --image and --map give the shape of
the columns if the run did not have it. --library compares the parts with known spectra
by their angles, and prints these as well. Replacing a page that shows more, such as
the residual, needs --force. --figures writes the pictures as drawings for a paper.`,
		Example: `  nmu report faces-out
  nmu report faces-out moved/faces.mat --out faces.html
  nmu report faces-out --comparison ranks
  nmu report faces-out --figures drawings
  nmu report scene-out --library minerals.csv`,
		Least: 1, Most: 2, Takes: "the DIR of a run, and perhaps its INPUT, got %d arguments",
		Do: func(c *program.Call) error {
			f.dir, f.Path = c.Args[0], strings.Join(c.Args[1:], "")
			return f.run(c)
		},
	}
}

// run is nmu report.
func (f *reportFlags) run(c *program.Call) error {
	defer work.ReadWithin(f.MaxMemory)()
	rec, err := record.ReadFactor(f.dir, f.MaxMemory)
	if err != nil {
		return err
	}
	var folder *fileset.Folder
	if f.Out == "" {
		ctx, stop := exit.Interruptible(c.Context) // a signal leaves nothing behind
		// The page itself says whether it may be replaced, see replaceable.
		if folder, err = fileset.Open(f.dir, []string{record.NameReport}, record.NameResult, true); err == nil {
			defer folder.Close()
			folder.Expect(rec.Text)
			if ctx.Err() != nil {
				err = exit.Interruption(ctx)
			}
		}
		stop()
		if err != nil {
			return err
		}
	}
	return program.InPrecision(rec.Factor.Settings.Precision, func() error { return runReport[float32](c, f, rec, folder) }, func() error { return runReport[float64](c, f, rec, folder) })
}

// runReport is nmu report for a run in one precision. The page goes to folder, if it is not nil.
func runReport[T lnmu.Float](c *program.Call, f *reportFlags, rec *record.File, folder *fileset.Folder) error {
	// V stays open, and stands for the M of the run: its limit of memory and its names hold for
	// everything below.
	var first *matio.File
	err := fileset.Read(f.dir, func() (err error) {
		opt := f.Options()
		// What the flags say of tables is for the library.
		first, err = matio.Open(filepath.Join(f.dir, record.NameV), matio.Options{MaxMemory: opt.MaxMemory, Own: true, Table: opt.Table.Beside()})
		return err
	})
	if err != nil {
		return err
	}
	defer first.Close()
	of := input.Matrix{Path: first.Path()}
	defer of.Say(c.Console, first)
	if err := first.Reserve(rec.Size, "reading "+record.NameResult); err != nil {
		return err
	}
	run, err := describe[T](c, f, rec.Factor, first)
	if err != nil {
		return err
	}
	if err := f.draw(run); err != nil {
		return fmt.Errorf("--figures: %w", err)
	}
	return f.save(c, folder, run)
}

// draw writes the drawings of the run to the folder of --figures, if there is one.
func (f *reportFlags) draw(run page.Run) error {
	if f.Figures == "" {
		return nil
	}
	list, err := page.Figures(run)
	if err == nil {
		err = os.MkdirAll(f.Figures, 0o777)
	}
	for i := 0; i < len(list) && err == nil; i++ {
		var paper []byte
		if paper, err = render.PDF(list[i].SVG); err == nil {
			name := filepath.Join(f.Figures, list[i].Name)
			err = errors.Join(matio.WriteFile(name+".svg", record.ContentFile("", list[i].SVG).Write), matio.WriteFile(name+".pdf", record.ContentFile("", paper).Write))
		}
	}
	return err
}

// describe returns the content of the page.
func describe[T lnmu.Float](c *program.Call, f *reportFlags, rep *record.Factor, first *matio.File) (run page.Run, err error) {
	first.SetRowNames(rep.RowNames)
	first.SetColNames(rep.ColNames)
	v, w, err := record.ReadFactors[T](f.dir, first)
	if err != nil {
		return run, err
	}
	if v.Rows != rep.Rows || v.Cols != rep.Rank || w.Rows != rep.Rank || w.Cols != rep.Cols {
		return run, fmt.Errorf("%s: V is %d x %d and W is %d x %d, but %s tells of %d x %d at rank %d", f.dir, v.Rows, v.Cols, w.Rows, w.Cols, record.NameResult, rep.Rows, rep.Cols, rep.Rank)
	}
	need := page.Bytes(rep.Rows, rep.Cols, rep.Rank, int(unsafe.Sizeof(T(0))))
	if err := first.Reserve(work.Plus(work.Process(), need), "writing a page about it"); err != nil {
		return run, err
	}
	rep.Left = data.Unblank(v, w)
	without := ""
	if err := lookAgain(c, f, first, rep, v, w); err != nil {
		if f.Path != "" {
			return run, err
		}
		without = render.OneLine(err)
		remedy := "nmu report " + f.dir + " INPUT names it"
		if errors.Is(err, matio.ErrTooLarge) {
			remedy = "--max-memory sets the limit"
		}
		c.Note("M was not read (%s), so the page lacks the parts that need it; %s", without, remedy)
	}
	if err := f.shown(rep); err != nil {
		return run, err
	}
	run = record.Page(rep, v, w)
	run.Without = without
	for _, l := range []render.Link{{Text: "The comparison of ranks", URL: record.NameRankPage}, {Text: "The parts that all runs find", URL: record.NameConsensusPage}} {
		if l.URL = f.beside(l.URL); l.URL != "" {
			run.Links = append(run.Links, l)
		}
	}
	if f.Compared != "" {
		run.Choice, err = record.ReadRank(f.Compared, first)
		if err != nil && !(errors.Is(err, fs.ErrNotExist) && len(run.Links) > 0) { // which nmu consensus has written
			return run, fmt.Errorf("--comparison: %w", err)
		}
		if c := run.Choice; c != nil && (c.Rows != rep.Rows || c.Cols != rep.Cols) {
			return run, fmt.Errorf("--comparison: %s is about a matrix of %d x %d, and the run was on %d x %d", filepath.Join(f.Compared, record.NameRank), c.Rows, c.Cols, rep.Rows, rep.Cols)
		}
	}
	if f.Library != "" {
		var note string
		if run.Library, note, err = readLibrary(f.Library, first, rep, v); err != nil {
			return run, fmt.Errorf("--library: %w", err)
		}
		if note != "" {
			c.Note("%s", note)
			run.Notes = append(slices.Clone(run.Notes), note)
		}
	}
	return run, nil
}

// beside returns a link from the page to a page in the folder of --comparison, or "" if there is none.
func (f *reportFlags) beside(name string) string {
	to := filepath.Join(f.Compared, name)
	if _, err := os.Stat(to); f.Compared == "" || err != nil {
		return ""
	}
	from, err := filepath.Abs(filepath.Dir(cmp.Or(f.Out, filepath.Join(f.dir, record.NameReport))))
	if to, e := filepath.Abs(to); err == nil && e == nil {
		if path, err := filepath.Rel(from, to); err == nil {
			return (&url.URL{Path: filepath.ToSlash(path)}).String()
		}
	}
	return ""
}

// save writes the page and prints its path, or prints the page.
func (f *reportFlags) save(c *program.Call, folder *fileset.Folder, run page.Run) error {
	var text bytes.Buffer
	if err := page.Write(&text, run); err != nil {
		return err
	}
	if f.Out == input.Stdin { // which stands for standard output, too
		_, err := c.Out.Write(text.Bytes())
		return err
	}
	ctx, stop := exit.Interruptible(c.Context) // a signal now removes the unfinished page
	defer stop()
	path := cmp.Or(f.Out, filepath.Join(f.dir, record.NameReport))
	write := func(w io.Writer) error {
		if err := f.replaceable(path, run); err != nil {
			return err
		}
		if _, err := w.Write(text.Bytes()); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w; nothing is written", exit.Interruption(ctx))
		}
		return nil
	}
	var err error
	if folder != nil {
		err = folder.Add(fileset.File{Name: record.NameReport, Write: write})
	} else if err = matio.WriteFile(f.Out, write); err != nil {
		err = fmt.Errorf("--out: %w", err)
	}
	if err != nil {
		return err
	}
	return say(c.Out, run.Library, path)
}

// say prints the spectra of the library that are nearest to each part, if there is a library, and
// the path of the page.
func say(out io.Writer, library *page.Library, path string) error {
	var t render.Facts
	if library != nil {
		for k := range library.Angles.Rows {
			var nearest []string
			for _, x := range library.Nearest(k) {
				nearest = append(nearest, x.Name+" "+x.Text())
			}
			t.Add(fmt.Sprintf("part %d", k+1), "%s", cmp.Or(strings.Join(nearest, ", "), "none, it is zero"))
		}
	}
	t.Add("written", "%s", path)
	return t.WriteText(out)
}

// readLibrary reads spectra from a file, a column for each, in the order of the rows of V, and
// compares the columns of V with them, in the rows that are not left out. Their memory counts towards the limit of the file
// first. A note says whether the spectra were resampled.
func readLibrary[T lnmu.Float](path string, first *matio.File, rep *record.Factor, v lnmu.Dense[T]) (_ *page.Library, note string, err error) {
	known, err := data.ReadFurther[T](path, first, matio.Options{})
	if err != nil {
		return nil, "", input.Hint(err)
	}
	left := rep.Left
	if note, err = resampled(&known, first, rep.RowAxis, left); err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	order, err := data.Order(first, "row", path, known.RowNames)
	if err != nil {
		return nil, "", err
	}
	data.PermuteRows(known.Dense, order)
	angles, err := spectra.Angles(v, known.Dense)
	if err == nil && left != nil {
		angles, err = spectra.Angles(data.PartRows(left, v), data.PartRows(left, known.Dense))
	}
	if err != nil {
		hint := ""
		if known.Rows != v.Rows && known.Cols == v.Rows {
			hint = "; its columns would do as rows: turn it with nmu convert --transpose"
		}
		return nil, "", fmt.Errorf("%s: %w%s", path, err, hint)
	}
	return &page.Library{File: path, Names: known.ColNames, Angles: angles, Spectra: page.FactorOf(known.Dense)}, note, nil
}

// replaceable returns an error if the file at path is no page, or one in DIR that shows more than that
// about run.
func (f *reportFlags) replaceable(path string, run page.Run) error {
	const mostPage = 32 << 20 // far more than a page has
	earlier, err := regular.ReadFile(path, mostPage)
	if f.Force || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil && !errors.Is(err, regular.ErrTooLarge) {
		return err
	}
	if !page.Is(earlier) {
		return fmt.Errorf("%s is there already, and no page of nmu report; --force replaces it", path)
	}
	if lacking := page.Lacking(earlier, run); lacking != nil && f.Out == "" {
		return fmt.Errorf("%s shows %s, and the new page would not; --force replaces it, --out FILE writes elsewhere", path, render.Enumerate(lacking, "and"))
	}
	return nil
}

// lookAgain reads M again and measures its distance from V W.
func lookAgain[T lnmu.Float](c *program.Call, f *reportFlags, first *matio.File, rep *record.Factor, v, w lnmu.Dense[T]) error {
	in := f.Matrix
	given := c.Given
	if in.Path == "" {
		in.Path = rep.Input
		if in.Path == input.Stdin {
			return errors.New("it was standard input")
		}
	}
	in.Inherit(&rep.Settings.Run, given, options.Setting.Reads)
	within := first.Shared()
	in.MaxMemory, in.InUse = within.MaxMemory, within.InUse
	file, err := in.Open(c.Console)
	if err != nil {
		return err
	}
	defer file.Close()
	if rows, cols := file.Dims(); rows != rep.Rows || cols != rep.Cols {
		return fmt.Errorf("%s is %d x %d, and the run was on %d x %d", in.Path, rows, cols, rep.Rows, rep.Cols)
	}
	byRow, err := data.Order(first, "row", in.Path, file.RowNames())
	if err != nil {
		return err
	}
	byCol, err := data.Order(first, "column", in.Path, file.ColNames())
	if err != nil {
		return err
	}
	if rep.RowNames != nil { // M gets the order of the run, which a mask has as well
		file.SetRowNames(rep.RowNames)
	}
	if rep.ColNames != nil {
		file.SetColNames(rep.ColNames)
	}
	in.Mask = rep.Settings.Mask
	if !file.Sparse() || rep.Entries == 0 { // else V and W say it
		in.SkipRows, in.SkipCols = rep.Settings.SkipRows, rep.Settings.SkipCols
	}
	seen, err := (&data.Request{Run: &in.Run, Empty: true}).Read(file)
	if err != nil {
		return err
	}
	if err := file.Reserve(work.Pages[T](file, false), "reading it"); err != nil {
		return err
	}
	matrix, err := data.Matrix[T](file, rep.Entries == 0)
	if err != nil {
		return err
	}
	var of page.Source[T]
	switch m := matrix.(type) {
	case lnmu.CSR[T]:
		if err := m.Validate(); err != nil {
			return fmt.Errorf("%s: %w", in.Path, err)
		}
		kept, cols := rep.Left.Kept()
		of = page.SparseSource(m, rep.Partial.Sparse).Pick(byRow, byCol, 0).Pick(kept, cols, 0)
		of = work.Whole(of, rep.Left, true)
	case lnmu.Dense[T]:
		of = page.DenseSource(m, nil).Pick(byRow, byCol, 0).Seen(seen.Mask)
	}
	if err := file.Guard(func() (err error) {
		rep.Distance, err = page.Measure(of, v, w, rep.LargestEntry)
		return err
	}); err != nil {
		rep.Distance = nil
		return err
	}
	if e, all := rep.Distance.RelativeError(); all && !rep.Weighted && !(math.Abs(e-rep.RelativeError) <= 1e-3*rep.RelativeError+1e-6) {
		changed := fmt.Sprintf("%s has changed since, or was read in another way: measured now, the relative error is %s", in.Path, render.Percent(e))
		rep.Notes = append(rep.Notes, changed)
		c.Note("%s", changed)
	}
	return nil
}

// shown sets the pictures that the columns show, if the command line gives them.
func (f *reportFlags) shown(rep *record.Factor) error {
	pics := picture.Shown{Basis: rep.Image, Maps: rep.Map}
	pics, err := pics.Over(&f.Run, rep.Rows, rep.Cols)
	if err == nil {
		rep.Image, rep.Map = pics.Basis, pics.Maps
	}
	return err
}
