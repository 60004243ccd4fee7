package main

import (
	"encoding/json"
	"math"

	"nmu/lnmu"
)

// Figure is one number of the paper's tables, in percent. A missing number is NaN, and null in
// JSON.
type Figure float64

var none = Figure(math.NaN())

// Known says whether the number is there.
func (f Figure) Known() bool { return !math.IsNaN(float64(f)) }

// MarshalJSON implements json.Marshaler.
func (f Figure) MarshalJSON() ([]byte, error) {
	if !f.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// Figures are the columns of the tables of section 4.
type Figures struct {
	Plain    Figure `json:"plain"`    // relative error
	Scaled   Figure `json:"scaled"`   // the same of the best multiple of V W
	Improved Figure `json:"improved"` // the same after 100 HALS steps on the supports
	SV       Figure `json:"s_v"`      // zeros in V
	SW       Figure `json:"s_w"`
	SHV      Figure `json:"sh_v"` // Hoyer's measure of the columns of V
	SHW      Figure `json:"sh_w"` // and of the rows of W

	// SHColumns is Hoyer's measure of the columns of W, after scaling the largest entry of each
	// column of V to 1. The paper seems to print it as sh(W), see columnsText.
	SHColumns Figure `json:"sh_w_columns"`
}

// column is a column of Figures with its name.
type column struct {
	name   string
	of     func(f *Figures) *Figure
	errors bool // a relative error, two decimals; else a sparsity, a whole number in the paper
}

var (
	colPlain     = column{"Plain", func(f *Figures) *Figure { return &f.Plain }, true}
	colScaled    = column{"Scaled", func(f *Figures) *Figure { return &f.Scaled }, true}
	colImproved  = column{"Improved", func(f *Figures) *Figure { return &f.Improved }, true}
	colSV        = column{"s(V)", func(f *Figures) *Figure { return &f.SV }, false}
	colSW        = column{"s(W)", func(f *Figures) *Figure { return &f.SW }, false}
	colSHV       = column{"sh(V)", func(f *Figures) *Figure { return &f.SHV }, false}
	colSHW       = column{"sh(W)", func(f *Figures) *Figure { return &f.SHW }, false}
	colSHColumns = column{"sh(W) by columns", func(f *Figures) *Figure { return &f.SHColumns }, false}

	columns = []column{colPlain, colScaled, colImproved, colSV, colSW, colSHV, colSHW, colSHColumns}
)

// Names of the rows of a table.
const (
	rowPCA       = "PCA"
	rowNMF       = "NMF"
	rowGNMU      = "G-NMU"
	rowSNMFGNMU  = "sNMF{G-NMU}"
	rowHoyerGNMU = "Hoyer{G-NMU}"
	rowRNMU      = "R-NMU"
	rowSNMFRNMU  = "sNMF{R-NMU}"
	rowHoyerRNMU = "Hoyer{R-NMU}"
)

// rowSpec describes a row of a table.
type rowSpec struct {
	name   string
	method lnmu.Method // nil for PCA; its options come from the row like
	like   string      // the row whose sparsity is imposed
}

var rowSpecs = []rowSpec{
	{rowPCA, nil, ""},
	{rowNMF, lnmu.NMF{Solver: lnmu.SolverHALS}, ""},
	{rowGNMU, lnmu.GNMU{}, ""},
	{rowSNMFGNMU, lnmu.SNMF{}, rowGNMU},
	{rowHoyerGNMU, lnmu.Hoyer{}, rowGNMU},
	{rowRNMU, lnmu.RNMU{}, ""},
	{rowSNMFRNMU, lnmu.SNMF{}, rowRNMU},
	{rowHoyerRNMU, lnmu.Hoyer{}, rowRNMU},
}

// published are the tables of section 4 as printed, by set and row. A row or a
// figure that the paper leaves out is NaN.
var published = map[string]map[string]Figures{
	setCBCL: {
		rowPCA:       printed(7.43, 7.43, 0, 0, 22, 22),
		rowNMF:       printed(8.12, 8.11, 56, 11, 66, 22),
		rowGNMU:      printed(12.45, 8.76, 74, 14, 74, 21),
		rowSNMFGNMU:  printed(8.68, 8.44, 74, 14, 74, 30),
		rowHoyerGNMU: printed(9.33, 8.78, 69, 6, 73, 16),
		rowRNMU:      printed(16.42, 10.89, 53, 52, 63, 64),
		rowSNMFRNMU:  printed(10.23, 9.49, 50, 50, 56, 57),
		rowHoyerRNMU: printed(8.83, 8.56, 54, 12, 64, 22),
	},
	setSwimmer: {
		rowPCA:      printed(37.98, 37.98, 77, 0, 67, 17),
		rowNMF:      printed(40.41, 40.41, 84, 45, 73, 67),
		rowGNMU:     printed(47.70, 46.85, 94, 75, 85, 78),
		rowSNMFGNMU: printed(50.52, 42.04, 89, 66, 84, 73),
		// "Hoyer's algorithm was not able to converge" for R-NMU
		rowHoyerGNMU: printed(42.04, 41.91, 90, 45, 80, 63),
		rowRNMU:      printed(50.92, 50.71, 98, 66, 93, 65),
		rowSNMFRNMU:  printed(41.66, 41.17, 85, 66, 80, 79),
	},
	setHubble: {
		rowPCA:       printed(0.01, 0.01, 57, 0, 62, 25),
		rowNMF:       printed(0.29, 0.29, 64, 5, 57, 35),
		rowGNMU:      printed(0.52, 0.11, 64, 4, 60, 31),
		rowRNMU:      printed(3.74, 1.37, 79, 30, 71, 62),
		rowSNMFRNMU:  printed(0.48, 0.37, 73, 28, 66, 64),
		rowHoyerRNMU: printed(0.77, 0.68, 75, 0, 71, 12),
	},
	setKuls: {
		rowPCA:       printedScaled(4.36, 4.36, 4.36, 0, 0, 23, 15),
		rowNMF:       printedScaled(4.38, 4.38, 4.38, 1, 7, 9, 38),
		rowGNMU:      printedScaled(6.27, 5.77, 4.49, 3, 20, 8, 48),
		rowSNMFGNMU:  printedScaled(4.42, 4.42, 4.41, 2, 20, 8, 47),
		rowHoyerGNMU: printedScaled(4.60, 4.60, 4.71, 2, 25, 8, 53),
		rowRNMU:      printedScaled(8.13, 7.84, 5.73, 29, 31, 38, 67),
		rowSNMFRNMU:  printedScaled(5.24, 5.24, 5.01, 29, 31, 32, 59),
		rowHoyerRNMU: printedScaled(6.82, 6.82, 6.54, 0, 71, 6, 92),
	},
}

// printed returns a row of the tables without column Scaled.
func printed(plain, improved, sv, sw, shv, shw Figure) Figures {
	return printedScaled(plain, none, improved, sv, sw, shv, shw)
}

func printedScaled(plain, scaled, improved, sv, sw, shv, shw Figure) Figures {
	return Figures{Plain: plain, Scaled: scaled, Improved: improved, SV: sv, SW: sw, SHV: shv, SHW: shw, SHColumns: none}
}

// inPaper returns the printed row, or all NaN if there is none.
func inPaper(set, row string) Figures {
	if f, ok := published[set][row]; ok {
		return f
	}
	return printedScaled(none, none, none, none, none, none, none)
}
