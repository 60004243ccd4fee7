package dataset_test

import (
	"fmt"

	"nmu/internal/dataset"
)

func ExampleSwimmer() {
	s := dataset.Swimmer()
	const image = 0*64 + 1*16 + 3*4 + 2
	for y := 2; y < 15; y++ {
		line := make([]byte, s.ImageWidth)
		for x := range line {
			line[x] = '.'
			if s.Data[(y+s.ImageHeight*x)*s.Cols+image] == 1 {
				line[x] = '#'
			}
		}
		fmt.Println(string(line))
	}
	// Output:
	// ....#....#.
	// ....#...#..
	// ....#..#...
	// ....###....
	// .....#.....
	// .....#.....
	// .....#.....
	// .....#.....
	// .....#.....
	// .#...#.....
	// ..#..#.....
	// ...#.#.....
	// ....######.
}
