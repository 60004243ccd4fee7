package bench

import (
	"fmt"

	"nmu/internal/kernels"
	"nmu/internal/render"
	"nmu/kernel"
)

// Wide matrices have rows that are far apart: a kernel that walks down a column
// meets another page at every step, and a row is longer than the nearest caches. What
// that costs is measured on one working set, that of the widest rows with all they
// meet, cut into rows of different lengths.

func widthGroup(t Type) string { return "kernels by width, " + string(t) }

func widthCase(name string, cols int) string { return fmt.Sprintf("%s, %d columns", name, cols) }

// kernelsByWidth measures the products at several widths.
func kernelsByWidth[T kernel.Float](s *session, t Type) error {
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

// widths is how the products keep their rate as rows become longer, at the level
// that the program uses.
func (c *checker) widths() {
	widths := kernels.Widths()
	for _, kernel := range kernels.Wide[float64](widths[0]) {
		for _, t := range types {
			for _, cols := range widths[1:] {
				k := Check{
					Name: fmt.Sprintf("width/%s/%s/%d", kernel.Name, t, cols),
					What: fmt.Sprintf("%s, %s: rate at %d columns over that at %d", kernel.Name, t, cols, widths[0]), Unit: "x", Bar: barWidth,
				}
				level := c.report.Origin.Level
				narrow, ok := c.index[caseKey{widthGroup(t), widthCase(kernel.Name, widths[0]), level}]
				wide, also := c.index[caseKey{widthGroup(t), widthCase(kernel.Name, cols), level}]
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
