package figure_test

import (
	"bytes"
	"fmt"
	"image/png"

	"nmu/internal/figure"
)

func ExampleMontage() {
	// Two images of 2 x 2 pixels, the columns of a 4 x 2 matrix.
	v := figure.Basis[float64]{
		Rows: 4, Cols: 2, Stride: 2, Height: 2, Width: 2,
		Data: []float64{
			1, 0,
			0, 3,
			0, 3,
			1, 0,
		},
	}
	var file bytes.Buffer
	if err := figure.Montage(&file, v, figure.Options{Zoom: 10}); err != nil {
		fmt.Println(err)
		return
	}
	picture, err := png.Decode(&file)
	fmt.Println(picture.Bounds(), err)

	v.Height = 3
	fmt.Println(figure.Montage(&file, v, figure.Options{}))
	// Output:
	// (0,0)-(46,24) <nil>
	// figure: invalid argument: images of 3 x 2 pixels do not fit a matrix of 4 rows: height times width must equal the number of rows
}
