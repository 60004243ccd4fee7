package kernel

import "fmt"

// The tiles of every level divide a panel.
const (
	panelRows  = 8
	panelBytes = 192 // of columns
)

// PanelShape returns the shape of the panels of an output on which AccumulatePanel works: they
// have cols columns and a multiple of rows rows. It is the same everywhere, but may change with a version.
func PanelShape[T Float]() (rows, cols int) { return panelRows, panelBytes / sizeOf[T]() }

// AccumulatePanel is Accumulate, with its bits, for a panel of a larger product: C is
// p x q with q columns of PanelShape and p a positive multiple of its rows, V is p x r, not transposed, X
// is r x q; C must not overlap V or X. X should stay in the nearest cache while the
// rows of C and V pass by. Rows that follow each other without a gap, aligned as by
// NewMatrix, are fastest. 2pqr operations.
//
//	c[i][j] takes fma(v[i][k], x[k][j], c[i][j]) for k = 0, 1, ... in turn
func AccumulatePanel[T Float](c, v, x Matrix[T]) {
	checkPanel("C", c)
	writes("C", c, v.Rows, x.Cols)
	reads("V", v, v.Rows, x.Rows)
	reads("X", x, x.Rows, x.Cols)
	panelTiled(c, v, x)
}

// checkPanel panics unless m has the rows and columns of a panel.
func checkPanel[T Float](name string, m Matrix[T]) {
	rows, cols := PanelShape[T]()
	if m.Rows <= 0 || m.Rows%rows != 0 || m.Cols != cols {
		panic(fmt.Sprintf("kernel: %s is %d x %d, want a positive multiple of %d rows and %d columns", name, m.Rows, m.Cols, rows, cols))
	}
}

// AddScaled adds a x to y: y[j] <- fma(a, x[j], y[j]). x and y are of one length
// and must not overlap.
func AddScaled[T Float](y []T, a T, x []T) {
	writesLen("y", y, len(x))
	readsLen("x", x, len(x))
	if !scaledTiled(bodiesOf[T](active()).addScaled, y, a, x) {
		addScaledGeneric(y, a, x)
	}
}

func addScaledGeneric[T Float](y []T, a T, x []T) {
	for j, b := range x {
		y[j] = fma(a, b, y[j])
	}
}

// AddScaledRows adds Xᵀ v to y, the transposed product of a matrix and a vector:
// y[j] takes fma(v[i], x[i][j], y[j]) for i = 0, 1, ... in turn. X is p x q, v has p
// elements, y has q; y must not overlap X or v. X is read once, along its rows.
func AddScaledRows[T Float](y, v []T, x Matrix[T]) {
	reads("X", x, len(v), len(y))
	writesLen("y", y, len(y))
	readsLen("v", v, len(v))
	addScaledRowsTiled(y, v, x)
}

// Scale multiplies x by a: x[j] <- x[j] a.
func Scale[T Float](x []T, a T) {
	writesLen("x", x, len(x))
	if !scaledTiled(bodiesOf[T](active()).scale, x, a, x) {
		scaleGeneric(x, a)
	}
}

func scaleGeneric[T Float](x []T, a T) {
	for j := range x {
		x[j] *= a
	}
}
