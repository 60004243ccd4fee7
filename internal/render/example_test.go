package render_test

import (
	"fmt"
	"os"

	"nmu/internal/render"
)

func ExampleTable() {
	t := render.Table{
		Head:  []string{"method", "error", "s(V)"},
		Rows:  [][]string{{"NMF", "40.4 %", "84"}, {"R-NMU", "50.8 %", ""}},
		Align: "lr",
	}
	if err := t.WriteText(os.Stdout, ""); err != nil {
		panic(err)
	}
	fmt.Print(t.Markdown())
	// Output:
	// method   error  s(V)
	// NMF     40.4 %    84
	// R-NMU   50.8 %
	// | method | error | s(V) |
	// |---|---:|---:|
	// | NMF | 40.4 % | 84 |
	// | R-NMU | 50.8 % | |
}
