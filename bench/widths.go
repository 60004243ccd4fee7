package bench

import (
	"fmt"

	"nmu/bench/internal/machine"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/internal/isa"
	"nmu/internal/kernels"
	"nmu/internal/render"
	"nmu/kernel"
)

// The rows of wide matrices are far apart: a kernel that walks down a column touches a new
// page at every step, and a row is longer than the nearest caches. To measure the cost, the
// working set of the widest rows is cut into rows of different lengths.

// barWidth is the minimum rate of a kernel on long rows over the rate on short rows.
const barWidth = 0.9

// widthGroup returns the group of the kernels in one precision.
func widthGroup(t machine.Type) string { return "kernels by width, " + string(t) }

// widthCase returns the case of a kernel at a width.
func widthCase(name string, cols int) string { return fmt.Sprintf("%s, %d columns", name, cols) }

// measureWidths measures the products at several widths.
func (s *session) measureWidths() error {
	defer isa.Set(isa.Active())()
	if err := kernelsByWidth[float64](s, machine.Float64); err != nil {
		return err
	}
	return kernelsByWidth[float32](s, machine.Float32)
}

// kernelsByWidth measures the products in one precision.
func kernelsByWidth[T kernel.Float](s *session, t machine.Type) error {
	pool := kernel.NewMatrix[T](1, kernels.WideElements()).Row(0)
	held := s.report.Limits.Holding(int64(len(pool)*t.Size()), 1)
	for _, cols := range kernels.Widths() {
		for _, k := range kernels.Wide[T](cols) {
			for _, cut := range k.Cut(pool, 0) {
				cut.Name = widthCase(cut.Name, cols)
				if err := kernelOn(s, widthGroup(t), cut, pool, t, held); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkWidths checks that the products keep their rate as rows become longer, at the level
// that the program uses.
func (c *checker) checkWidths() {
	widths := kernels.Widths()
	for _, kernel := range kernels.Wide[float64](widths[0]) {
		for _, t := range subject.Types {
			for _, cols := range widths[1:] {
				k := report.Check{
					Name: fmt.Sprintf("width/%s/%s/%d", kernel.Name, t, cols),
					What: fmt.Sprintf("%s, %s: rate at %d columns over that at %d", kernel.Name, t, cols, widths[0]), Unit: "x", Bar: barWidth,
				}
				level := c.report.Origin.Level
				narrow, ok := c.FindBy(widthGroup(t), widthCase(kernel.Name, widths[0]), level)
				wide, also := c.FindBy(widthGroup(t), widthCase(kernel.Name, cols), level)
				if !ok || !also || narrow.Median <= 0 {
					c.missing(k, "")
					continue
				}
				k.Value = wide.Median / narrow.Median
				k.Note = fmt.Sprintf("%s and %s GFLOP/s", render.Number(wide.Median), render.Number(narrow.Median))
				c.add(k)
			}
		}
	}
}
