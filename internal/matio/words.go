package matio

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// SeparatorNames and DecimalNames are words for Table.Separator and Table.Decimal.
var (
	SeparatorNames = []string{"comma", "semicolon", "tab", "bar", "blank"}
	DecimalNames   = []string{"point", "comma"}

	signs = []string{",", ";", "\t", "|", " ", "."} // of SeparatorNames, and that of a decimal point
)

// Sign returns the sign that a word of SeparatorNames or DecimalNames names. A sign itself is taken too.
// It is 0 for other words.
func Sign(word string) rune {
	for k, name := range append(SeparatorNames[:5:5], DecimalNames[0]) {
		if word == name || word == signs[k] || word == `\t` && name == "tab" {
			return rune(signs[k][0])
		}
	}
	return 0
}

// NamesFile returns the path in a text such as features.tsv.gz:2, and the column after it, or 0.
func NamesFile(value string) (path string, column int) {
	if _, err := os.Stat(value); err == nil {
		return value, 0
	}
	if at := strings.LastIndexByte(value, ':'); at > 0 {
		if n, err := strconv.Atoi(value[at+1:]); err == nil && n >= 1 {
			return value[:at], n
		}
	}
	return value, 0
}

// ReadAllNames reads the names of rows and columns from files, each with a column as for NamesFile; ""
// stands for none. An error begins with that setting.
func (f *File) ReadAllNames(rowNames, colNames string) error {
	rows, cols := f.Dims()
	for _, x := range []struct {
		of, value, what string
		n               int
		set             func([]string)
	}{{"row-names", rowNames, "row", rows, f.SetRowNames}, {"col-names", colNames, "column", cols, f.SetColNames}} {
		if x.value == "" {
			continue
		}
		path, column := NamesFile(x.value)
		names, err := f.ReadNames(path, column, x.n, x.what)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Setting(x.of, ""), err)
		}
		x.set(names)
		*f.from(x.what == "row") = x.value
	}
	return nil
}
