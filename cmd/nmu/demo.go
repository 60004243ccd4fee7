package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/program"
	"nmu/cmd/internal/progress"
	"nmu/internal/dataset"
	"nmu/internal/fileset"
	"nmu/internal/options"
	"nmu/internal/picture"
	"nmu/internal/record"
	"nmu/internal/render"
	"nmu/internal/work"
	"nmu/lnmu"
)

// demoRank is the number of factors that the paper uses for the swimmer set.
const demoRank = 8

func demoCommand() *program.Command {
	var r options.Run
	return &program.Command{
		Of: options.Demo, Run: &r, First: []string{"out", "force"},
		Use:   "demo",
		Short: "Factor the built-in swimmer images by NMF, G-NMU and R-NMU",
		Long: `Factor the swimmer set into 8 factors by NMF, G-NMU and R-NMU. Its 256 images of
20 x 11 pixels show a body with four limbs in four positions each. The runs make the
paper's iterations (600, 240, 180 per factor), from 10 random starts each.

The table shows the best of them: the relative error, the share s of zeros and
Hoyer's sparsity sh of V and W, the largest entry of V W - M, and the time. With
--out, DIR receives the basis images in nmf.png, gnmu.png and rnmu.png, 0 white and
1 black. Those of R-NMU show single parts of the body.`,
		Example: `  nmu demo
  nmu demo --out demo-out`,
		Do: func(c *program.Call) error {
			return runDemo(c, r.Out, r.Force, lnmu.Settings{})
		},
	}
}

// runDemo runs the three methods with the given settings.
func runDemo(c *program.Call, out string, force bool, settings lnmu.Settings) error {
	methods := []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}}
	var names []string
	for _, method := range methods {
		names = append(names, pictureName(method))
	}
	folder, err := record.OpenFolder(out, names, "", nil, force, func(string) bool { return false })
	if err != nil {
		return err
	}
	defer folder.Close()
	set := dataset.Swimmer()
	m := lnmu.NewDense(set.Rows, set.Cols, set.Data)
	ctx, stop := exit.Interruptible(c.Context)
	defer stop()
	line := progress.NewLine(c.Err)

	var reports []*record.Factor
	var files []fileset.File
	for _, method := range methods {
		line.Prefix = method.Name() + "  "
		settings.Progress = line.Show
		p, err := work.Start[float64]{}.WithDefaults(work.Plan{Rank: demoRank, Method: method, Settings: settings}, m.Rows, m.Cols)
		if err != nil {
			return err
		}
		begun := time.Now()
		res, err := work.Start[float64]{}.Factor(ctx, m, p)
		line.Clear()
		if ctx.Err() != nil {
			return fmt.Errorf("%w; nothing is written", exit.Interruption(ctx))
		}
		if err != nil {
			return err
		}
		r, err := work.ReplyOf(p, res, time.Since(begun))
		if err != nil {
			return err
		}
		reports = append(reports, record.FactorOf(m.Rows, m.Cols, r))
		files = append(files, fileset.File{Name: pictureName(method), Write: func(w io.Writer) error {
			return picture.Write(w, res.V, picture.Pixels{Height: set.ImageHeight, Width: set.ImageWidth}, picture.Layout{Columns: res.V.Cols})
		}})
	}

	w := c.Out
	first := reports[0]
	fmt.Fprintf(w, "%s, %d x %d, rank %d, the best of %s, %s, %s kernels\n\n",
		set.Name, m.Rows, m.Cols, first.Settings.Rank, render.Plural(first.Settings.Restarts, "run"), render.Plural(first.Settings.Threads, "thread"), first.Level)
	t := render.Table{Head: []string{"method", "relative error", "s(V)", "s(W)", "sh(V)", "sh(W)", "largest violation", "seconds"}, Align: "r"}
	for _, r := range reports {
		t.Rows = append(t.Rows, []string{r.Settings.Method, render.Percent(r.RelativeError), render.Percent(r.SparsityV), render.Percent(r.SparsityW),
			render.Percent(r.HoyerV), render.Percent(r.HoyerW), fmt.Sprintf("%.2g", r.MaxViolation), fmt.Sprintf("%.2f", r.Seconds)})
	}
	if err := t.WriteText(w, "  "); err != nil {
		return err
	}
	if out == "" {
		return nil
	}
	if _, _, err := folder.Write(files); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	_, err = fmt.Fprintf(w, "\nbasis images: %s in %s\n", strings.Join(names, ", "), out)
	return err
}

func pictureName(method lnmu.Method) string { return method.Name() + ".png" }
