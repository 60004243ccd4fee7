package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strings"

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

// UnmarshalJSON implements json.Unmarshaler.
func (f *Figure) UnmarshalJSON(text []byte) error {
	*f = none
	return json.Unmarshal(text, (*float64)(f)) // which null leaves as it is
}

// Figures are the columns of the tables of section 4.
type Figures [8]Figure

// column is a column of Figures.
type column int

// The columns. Those up to colImproved are relative errors with two decimals. The others are sparsities, whole numbers in
// the paper.
const (
	colPlain     column = iota // relative error
	colScaled                  // the same of the best multiple of V W
	colImproved                // the same after 100 HALS steps on the supports
	colSV                      // zeros in V
	colSW                      // zeros in W
	colSHV                     // Hoyer's measure of the columns of V
	colSHW                     // and of the rows of W
	colSHColumns               // and of the columns of W after scaling each column of V to a largest entry of 1: see columnsText
)

// columns has the names of the columns, and their members in paper.json.
var columns = [len(Figures{})]struct{ name, member string }{
	{"Plain", "plain"}, {"Scaled", "scaled"}, {"Improved", "improved"}, {"s(V)", "s_v"}, {"s(W)", "s_w"},
	{"sh(V)", "sh_v"}, {"sh(W)", "sh_w"}, {"sh(W) by columns", "sh_w_columns"},
}

// MarshalJSON implements json.Marshaler.
func (f Figures) MarshalJSON() ([]byte, error) {
	var members []string
	for c, x := range f {
		text, _ := x.MarshalJSON() // a Figure is finite or NaN
		members = append(members, fmt.Sprintf("%q:%s", columns[c].member, text))
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}

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

// published are the tables of section 4 as printed: by set and row the columns up to colSHW. The paper leaves out the
// rows for which "Hoyer's algorithm was not able to converge".
//
//go:embed published.json
var published []byte

// inPaper returns the printed row. A figure that the paper leaves out is NaN.
func inPaper(set, row string) Figures {
	var tables map[string]map[string][]Figure
	if err := json.Unmarshal(published, &tables); err != nil {
		panic(err) // a test reads all of it
	}
	f := Figures{none, none, none, none, none, none, none, none}
	copy(f[:], tables[set][row])
	return f
}
