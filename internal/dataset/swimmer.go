package dataset

import "slices"

// The swimmer, in pixels of a 20 x 11 image: a torso one pixel wide, a joint
// beside each of its four corners, and at each joint a limb of three pixels
// that points in one of four directions.
//
//	. # . . .      upper left limb, positions 0 to 3 (x joint, # limb, | torso):
//	. . # . .
//	. . . # .        0 #      1 #        2           3
//	. . . . x |        #         #
//	        ^ |        #           #
//	     joint |       x |           x |   # # # x |           x |
//	                                                        #
//	                                                     #
//	                                                  #
const (
	swimmerHeight = 20
	swimmerWidth  = 11
	torsoTop      = 5  // first pixel row of the torso
	torsoBottom   = 14 // last pixel row of the torso
	torsoColumn   = 5
	limbLength    = 3
	limbs         = 4
	positions     = 4 // of each limb
)

// limb is a joint and the signs of the directions away from the torso.
type limb struct {
	name     string
	row, col int // joint
	out      int // -1 up, +1 down
	side     int // -1 left, +1 right
}

var swimmerLimbs = [limbs]limb{
	{"upper left", torsoTop, torsoColumn - 1, -1, -1},
	{"upper right", torsoTop, torsoColumn + 1, -1, 1},
	{"lower left", torsoBottom, torsoColumn - 1, 1, -1},
	{"lower right", torsoBottom, torsoColumn + 1, 1, 1},
}

var positionNames = [positions]string{"along the torso", "outward", "sideways", "inward"}

// rows lists the rows of the matrix that hold the limb's pixels at position p,
// from the joint to the tip. The joint itself belongs to the torso.
func (l limb) rows(p int) []int {
	step := [positions][2]int{{l.out, 0}, {l.out, l.side}, {0, l.side}, {-l.out, l.side}}[p]
	rows := make([]int, limbLength)
	for t := range rows {
		rows[t] = swimmerRow(l.row+(t+1)*step[0], l.col+(t+1)*step[1])
	}
	return rows
}

func swimmerRow(y, x int) int { return y + swimmerHeight*x }

func torsoRows() []int {
	var rows []int
	for _, l := range swimmerLimbs {
		rows = append(rows, swimmerRow(l.row, l.col))
	}
	for y := torsoTop; y <= torsoBottom; y++ {
		rows = append(rows, swimmerRow(y, torsoColumn))
	}
	return rows
}

// Swimmer returns the swimmer set of Donoho and Stodden (section 4 of the
// paper, "Swimmer Database"): 256 images of 20 x 11 pixels with the values 0
// and 1, one for each combination of the positions of four limbs. It equals
// the published 220 x 256 matrix, columns in the same order: column
// 64a + 16b + 4c + d has the upper left limb at position a, the upper right at
// b, the lower left at c and the lower right at d.
func Swimmer() Set {
	s := Set{Name: "swimmer", Rows: swimmerHeight * swimmerWidth, Cols: positions * positions * positions * positions, ImageHeight: swimmerHeight, ImageWidth: swimmerWidth}
	s.Data = make([]float64, s.Rows*s.Cols)
	for j := range s.Cols {
		for _, i := range torsoRows() {
			s.Data[i*s.Cols+j] = 1
		}
		digits := j
		for k := limbs - 1; k >= 0; k-- {
			for _, i := range swimmerLimbs[k].rows(digits % positions) {
				s.Data[i*s.Cols+j] = 1
			}
			digits /= positions
		}
	}
	return s
}

// Part is a named group of pixels, given as rows of the matrix.
type Part struct {
	Name string
	Rows []int
}

// SwimmerParts returns the 17 parts of the swimmer: first the torso with its
// four joints (14 pixels), then the four positions of each of the four limbs
// (3 pixels each). No pixel is in two parts. Pixels in no part are zero in
// every image.
func SwimmerParts() []Part {
	parts := []Part{{"torso with joints", torsoRows()}}
	for _, l := range swimmerLimbs {
		for p, name := range positionNames {
			parts = append(parts, Part{l.name + " limb, " + name, l.rows(p)})
		}
	}
	return parts
}

// Touched returns the indices of the parts that a basis image touches, in increasing order:
// those with a pixel above fraction times the largest entry of the image. outside is the number
// of such pixels in no part. The image is column k of the row-major matrix v, with rows pixels.
// An image without a positive entry touches nothing. Touched panics if a part has a row outside
// the image.
func Touched[T float32 | float64](parts []Part, v []T, rows, stride, k int, fraction float64) (touched []int, outside int) {
	largest := T(0)
	for i := range rows {
		largest = max(largest, v[i*stride+k])
	}
	above := make([]bool, rows)
	for i := range above {
		x := v[i*stride+k]
		above[i] = x > 0 && float64(x) > fraction*float64(largest)
	}
	for p, part := range parts {
		if slices.ContainsFunc(part.Rows, func(i int) bool { return above[i] }) {
			touched = append(touched, p)
		}
	}
	for _, part := range parts {
		for _, i := range part.Rows {
			above[i] = false
		}
	}
	for _, a := range above {
		if a {
			outside++
		}
	}
	return touched, outside
}
