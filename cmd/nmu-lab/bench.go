package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"nmu/bench"
	benchreport "nmu/bench/report"
	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/flags"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/progress"
	"nmu/cmd/internal/record"
	"nmu/internal/fileset"
	"nmu/internal/mpi"
	"nmu/internal/regular"
	"nmu/internal/scaling"
)

// The files of nmu-lab bench. Every plot has a file of its own beside them.
const (
	nameBenchJSON    = "bench.json"
	nameBenchFaces   = "bench-" + benchFaces + ".json" // the part about the faces, if they were measured
	nameBenchPage    = "bench.html"
	nameBenchSummary = "bench.md"
	nameScaleJSON    = "bench-scale.json" // the part scale and its plan, if it was measured
	nameScalePage    = "scale.md"
	nameScalePlot    = "scale.svg"
)

// benchFaces is the problem that docs/speed.md shows.
const benchFaces = "cbcl"

// checkSize is the size in bytes of the largest matrix of a run with --check.
const checkSize = 4e9

// benchFlags is the command line of nmu-lab bench.
type benchFlags struct {
	only, peers []string
	data        string
	rows, cols  int
	rank        int
	threads     int
	reps        int
	size        flags.Size
	short       bool
	check       bool

	out     string
	json    bool
	compare string
	planned string
	kind    string
	child   bool
	mpi     bool
}

func benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure this machine, the kernels, the algorithms and other programs",
		Long: `Measure the limits of this machine, and how close nmu comes to them. Run nothing
else at the same time, because it changes the figures.

  machine     multiply-adds per second and bandwidth, for every level and cache
  kernels     every kernel at every level, against the lower of two limits,
              arithmetic and bandwidth
  algorithms  iterations of nmf, gnmu and rnmu, against the limit, and whole runs
  peers       the same work by gonum, and by NumPy, scikit-learn and GNU Octave
              if they are installed
  solvers     time of the solvers of a method to the same error or violation
  growth      time per iteration as m, n, r and the number of threads double
  memory      allocations, delay of garbage collections, and the peak memory and
              time for matrices up to --size, each in its own process
  sparse      time per iteration on a sparse matrix, beside a plain pass over its
              nonzeros
  blas        package blas beside gonum's BLAS and that of NumPy
  scale       time per iteration with more threads, on one matrix and on one that
              grows with them, beside the prediction of a model; with --mpi also
              with more processes. DIR then receives a plan for 1 TB on up to
              1024 machines, scale.md with scale.svg

The faces (CBCL.mat) are measured if --data or the environment variable NMU_DATA
names their folder. Without --short, a run takes from several minutes (without the
peers) to an hour. After Ctrl-C, SIGTERM or SIGHUP the finished measurements are
printed, and written with --out.

--check prints each claimed figure beside its target, with "meets" or "falls short".
Matrices then grow up to 4 GB. Figures that could not be measured are listed, such as
those of programs that are not installed.`,
		Example: `  nmu-lab bench --only machine,algorithms
  nmu-lab bench --check --out report
  nmu-lab bench --short --json
  nmu-lab bench --only kernels --compare report/bench.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.child {
				return bench.Child(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
			}
			return runBench(cmd, &f)
		},
	}
	f.define(cmd)
	return cmd
}

// define adds the flags of nmu-lab bench.
func (f *benchFlags) define(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringSliceVar(&f.only, "only", nil, flags.Usage("`PARTS` to measure: "+message.Enumerate(message.Strings(bench.Parts()), "and")+" (default all)"))
	flags.SetWords(fs, "only", bench.Parts(), false)
	fs.BoolVar(&f.check, "check", false, "print each figure beside its target, and whether it meets it")
	fs.BoolVar(&f.short, "short", false, "take few iterations and short samples, for rough figures")
	fs.IntVar(&f.reps, "reps", 5, "`N` samples of each quantity")
	fs.IntVar(&f.threads, "threads", 0, "measure 1, 2, 4, ... up to `P` threads (default: all processors)")
	fs.StringVar(&f.data, "data", "", "`FILE` with the CBCL faces, or its folder")
	fs.IntVar(&f.rows, "rows", 4000, "`M` rows of the generated dense matrix")
	fs.IntVar(&f.cols, "cols", 2000, "`N` columns of that matrix")
	fs.IntVar(&f.rank, "rank", 20, "`R` factors of that matrix")
	fs.Var(&f.size, "size", "`SIZE` of the largest matrix of the memory part, such as 4GB\n(default 512MB, with --check 4GB)")
	fs.StringSliceVar(&f.peers, "peers", nil, "`NAMES` of other programs: gonum, numpy, scikit-learn, octave\n(default all that are installed)")
	fs.StringVar(&f.planned, "plan", "", "`MxN` matrix that the part scale plans for (default\n100000000x1250: 1 TB)")
	fs.StringVar(&f.kind, "kind", "", "JSON `FILE` that describes the machines of the plan: cores,\ngflops, memory_gb and the other fields of kind in\n"+nameScaleJSON+"")
	fs.StringVar(&f.out, "out", "", "folder `DIR` for "+nameBenchJSON+", "+nameBenchPage+", a summary, "+nameBenchSummary+",\nthe plots, and the part about the faces, "+nameBenchFaces)
	fs.BoolVar(&f.json, "json", false, "print JSON instead of tables")
	fs.StringVar(&f.compare, "compare", "", "compare with the JSON report in `FILE`, and print the changes")
	fs.BoolVar(&f.mpi, "mpi", false, flags.Usage("run as one of the processes started by mpirun, which measure the part scale together (needs a program built with the tag mpi)"))
	fs.BoolVar(&f.child, "child", false, "")
	if err := fs.MarkHidden("child"); err != nil {
		panic(err) // there is such a flag
	}
}

// plan returns the measurements that the command line asks for.
func (f *benchFlags) plan(given func(flag string) bool) (bench.Plan, error) {
	plan := bench.Plan{
		Data: f.data, Rows: f.rows, Cols: f.cols, Rank: f.rank, Threads: f.threads, Repetitions: f.reps,
		Short: f.short, Peers: f.peers,
	}
	for _, x := range []struct {
		flag  string
		value int
	}{{"rows", f.rows}, {"cols", f.cols}, {"rank", f.rank}, {"reps", f.reps}, {"threads", f.threads}} {
		if given(x.flag) && x.value < 1 {
			return plan, fmt.Errorf("--%s %d; choose 1 or more", x.flag, x.value)
		}
	}
	for _, x := range []struct{ flag, value, what string }{
		{"out", f.out, "a folder"}, {"data", f.data, "a file"}, {"compare", f.compare, "a report in JSON"},
	} {
		if given(x.flag) && x.value == "" {
			return plan, fmt.Errorf("--%s is empty; name %s", x.flag, x.what)
		}
	}
	if f.json && f.compare != "" {
		return plan, errors.New("--json and --compare both print; choose one (--out writes JSON beside a comparison)")
	}
	if given("plan") {
		rows, cols, ok := strings.Cut(f.planned, "x")
		m, err := strconv.Atoi(rows)
		n, also := strconv.Atoi(cols)
		if !ok || err != nil || also != nil || min(m, n) < 1 {
			return plan, fmt.Errorf("--plan %q; want rows and columns such as 1000000x500", f.planned)
		}
		plan.Planned = scaling.Problem{Rows: m, Cols: n, Size: 8}
	}
	if given("kind") {
		text, err := regular.ReadFile(f.kind)
		if err != nil {
			return plan, fmt.Errorf("--kind: %w", err)
		}
		if plan.Kind, err = scaling.ReadKind(bytes.NewReader(text)); err != nil {
			return plan, fmt.Errorf("--kind %s: %w", f.kind, err)
		}
	}
	if given("only") {
		plan.Parts = []bench.Part{}
		for _, name := range f.only {
			plan.Parts = append(plan.Parts, bench.Part(strings.TrimSpace(name)))
		}
		if len(plan.Parts) == 0 {
			return plan, fmt.Errorf("--only names no part; there are %v", bench.Parts())
		}
	}
	switch {
	case given("size"):
		if f.size > math.MaxInt/4 {
			return plan, fmt.Errorf("--size %s is more than this processor can address; choose less", &f.size)
		}
		plan.Size = int(f.size)
	case f.check && !f.short:
		plan.Size = int(min(checkSize, math.MaxInt/4))
	}
	if self, err := os.Executable(); err == nil {
		plan.Child = []string{self, "bench", "--child"}
	}
	return plan, nil
}

// runBench makes the measurements. Of several processes, process 0 prints them.
func runBench(cmd *cobra.Command, f *benchFlags) error {
	plan, err := f.plan(cmd.Flags().Changed)
	if err != nil {
		return exit.Misuse(err)
	}
	if !f.mpi {
		return measureBench(cmd, f, plan)
	}
	if !slices.Equal(plan.Parts, []bench.Part{bench.PartScale}) {
		return exit.Misuse(fmt.Errorf("--mpi measures one part; add --only %s", bench.PartScale))
	}
	world, err := mpi.Init()
	if err != nil {
		return exit.Misuse(fmt.Errorf("--mpi: %w", err))
	}
	defer world.Finalize()
	if world.Rank() > 0 { // process 0 reports errors and the status
		_ = bench.Serve(cmd.Context(), world)
		return nil
	}
	plan.Processes, plan.Local = world, world.Local()
	err = measureBench(cmd, f, plan)
	if err != nil && world.Size() > 1 { // the others may be waiting
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", cmd.Root().Name(), message.OneLine(err))
		world.Abort(exit.Status(err, true))
	}
	return err
}

// measureBench makes the planned measurements and prints them. It checks the output folder first.
func measureBench(cmd *cobra.Command, f *benchFlags, plan bench.Plan) error {
	var old *benchreport.Report
	if f.compare != "" {
		var err error
		if old, err = readReport(f.compare); err != nil {
			return fmt.Errorf("--compare: %w", err)
		}
	}
	if f.out != "" {
		if err := fileset.Check(f.out, []string{nameBenchJSON, nameBenchPage, nameBenchSummary, nameBenchFaces, nameScaleJSON, nameScalePage, nameScalePlot}); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	ctx, stop := exit.Interruptible(cmd.Context())
	defer stop()
	line := progress.NewLine(cmd.ErrOrStderr())
	plan.Progress = line.Say
	rep, err := bench.Run(ctx, plan)
	line.Clear()
	if rep == nil {
		return err
	}
	if f.check {
		bench.Check(rep)
	}
	var failed error
	if f.out != "" { // first, since the terminal may be gone
		if failed = writeBench(f.out, rep); failed != nil {
			failed = fmt.Errorf("--out: %w", failed)
		}
	}
	failed = errors.Join(failed, printBench(cmd.OutOrStdout(), f, old, rep))
	if ctx.Err() != nil {
		err = fmt.Errorf("%w: the report holds what was measured by then", exit.Interruption(ctx))
	}
	return errors.Join(failed, err)
}

func printBench(w io.Writer, f *benchFlags, old, rep *benchreport.Report) error {
	if f.json {
		return rep.WriteJSON(w)
	}
	if err := rep.WriteTable(w); err != nil || old == nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "\nCOMPARED WITH %s\n", f.compare); err != nil {
		return err
	}
	return benchreport.WriteComparison(w, old, rep)
}

func readReport(path string) (*benchreport.Report, error) {
	text, err := regular.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rep, err := benchreport.Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rep, nil
}

// writeBench writes the report to a folder: JSON, page and plots.
func writeBench(dir string, rep *benchreport.Report) error {
	plots, err := rep.Plots()
	if err != nil {
		return err
	}
	files := []fileset.File{
		{Name: nameBenchJSON, Write: rep.WriteJSON},
		{Name: nameBenchPage, Write: rep.WritePage},
		{Name: nameBenchSummary, Write: rep.WriteMarkdown},
	}
	if faces := rep.Problem(benchFaces); len(faces.Measurements) > 0 {
		files = append(files, fileset.File{Name: nameBenchFaces, Write: faces.WriteJSON})
	}
	if rep.Planning != nil {
		plot, err := rep.PlotPlan()
		if err != nil {
			return err
		}
		files = append(files,
			fileset.File{Name: nameScaleJSON, Write: rep.Scale().WriteJSON},
			fileset.File{Name: nameScalePage, Write: func(w io.Writer) error { return rep.WritePlan(w, nameScalePlot) }},
			record.ContentFile(nameScalePlot, plot))
	}
	for _, p := range plots {
		files = append(files, record.ContentFile(plotName(p.Group), p.SVG))
	}
	_, _, err = fileset.Write(dir, files, nameBenchJSON)
	return err
}

// plotName returns the name of the file for the plot of a group.
func plotName(group string) string {
	words := strings.FieldsFunc(strings.ToLower(group), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return filepath.Base(strings.Join(words, "-") + ".svg")
}
