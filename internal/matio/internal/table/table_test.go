package table_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// Tables as other programs write them: each is read right, or refused with a kind of
// error that says what to do.
func TestTables(t *testing.T) {
	x := matiotest.New(2, 3, []float64{0, 0.25, 0.5, 0.75, 1, 1.25})
	abc, ab := []string{"a", "b", "c"}, []string{"r1", "r2"}
	for _, c := range []struct {
		what, name, text string
		opt              matio.Table
		want             matiotest.Matrix
		rows, cols       []string
		err              error
		says             string // in a note, or in the error
	}{
		{what: "NumPy, savetxt", name: "a.txt", text: "0.000000000000000000e+00 2.500000000000000000e-01 5.000000000000000000e-01\n7.500000000000000000e-01 1.000000000000000000e+00 1.250000000000000000e+00\n", want: x, says: "blanks"},
		{what: "NumPy, savetxt with header", name: "a.txt", text: "# a b c\n0 0.25 0.5\n0.75 1 1.25\n", want: x, cols: abc, says: "(the last line above row 1 that begins with #: --header no ignores it)"},
		{what: "NumPy, savetxt with header, said", name: "a.txt", text: "# a b c\n0 0.25 0.5\n0.75 1 1.25\n", opt: matio.Table{Header: matio.Absent}, want: x},
		{what: "NumPy, savetxt with header and footer", name: "a.txt", text: "# a 2 c\n0 0.25 0.5\n#1 2 3\n0.75 1 1.25\n# end", want: x, says: "left out: 2 lines that begin with # among or behind the rows"},
		{what: "QIIME, OTU table", name: "a.txt", text: "# Constructed from biom file\n#OTU ID\t11\t12\t13\nr1\t0\t0.25\t0.5\nr2\t0.75\t1\t1.25\n", want: x, rows: ab, cols: []string{"11", "12", "13"}, says: "that begins with #"},
		{what: "QIIME, OTU table with numbers", name: "a.txt", text: "#OTU ID\ta\tb\tc\n17\t0\t0.25\t0.5\n9\t0.75\t1\t1.25\n", want: x, rows: []string{"17", "9"}, cols: abc},
		{what: "WiRE, names after further tabs", name: "a.txt", text: "#a\t\t#b\n1\t2\n3\t4.5\n", want: matiotest.New(2, 2, []float64{1, 2, 3, 4.5}), cols: []string{"a", "b"}},
		{what: "a comment above a header", name: "a.csv", text: "#x,y,z\na,b,c\n0,0.25,0.5\n0.75,1,1.25\n", want: x, cols: abc, says: "(row 1)"},
		{what: "years in a comment", name: "a.csv", text: "#name,2019,2020\nr1,0.5,1\nr2,0.25,2\n", want: matiotest.New(2, 2, []float64{0.5, 1, 0.25, 2}), rows: ab, cols: []string{"2019", "2020"}},
		{what: "a list under a comment", name: "a.csv", text: "#row,column,value\nr1,a,0.5\nr2,b,1\n", want: matiotest.New(2, 2, []float64{0.5, 0, 0, 1}), rows: ab, cols: []string{"a", "b"}, says: "list of 2 entries"},
		{what: "NumPy, savetxt with commas", name: "a.csv", text: "0,0.25,0.5\n0.75,1,1.25\n", want: x},
		{what: "padded with blanks", name: "a.txt", text: "   0     0.25   0.5 \n   0.75  1      1.25\n", want: x},
		{what: "blanks and tabs", name: "a.txt", text: "0 \t0.25 0.5\n0.75\t1  1.25\n", want: x},
		{what: "pandas, to_csv", name: "a.csv", text: ",a,b,c\n0,0.0,0.25,0.5\n1,0.75,1.0,1.25\n", want: x, rows: []string{"0", "1"}, cols: abc, says: `rows "0" to "1" (column 1); columns "a" to "c" (row 1)`},
		{what: "pandas, to_csv with an index of text", name: "a.csv", text: ",a,b,c\nr1,0.0,0.25,0.5\nr2,0.75,1.0,1.25\n", want: x, rows: ab, cols: abc},
		{what: "pandas, to_csv with a named index", name: "a.csv", text: "sample,a,b,c\nr1,0.0,0.25,0.5\nr2,0.75,1.0,1.25\n", want: x, rows: ab, cols: abc},
		{what: "pandas, to_csv without index", name: "a.csv", text: "a,b,c\n0.0,0.25,0.5\n0.75,1.0,1.25\n", want: x, cols: abc},
		{what: "pandas, to_csv without names", name: "a.csv", text: ",0,1,2\n0,0.0,0.25,0.5\n1,0.75,1.0,1.25\n", want: x, rows: []string{"0", "1"}, cols: []string{"0", "1", "2"}},
		{what: "pandas, to_csv without index and names", name: "a.csv", text: "0,1,2\n0.0,0.25,0.5\n0.75,1.0,1.25\n", want: x, cols: []string{"1", "2", "3"}, says: "row 1, which counts the columns"},
		{what: "pandas, twice saved", name: "a.csv", text: ",Unnamed: 0,a\n0,0,0.5\n1,1,0.5\n2,2,0.5\n", want: matiotest.New(3, 1, []float64{0.5, 0.5, 0.5}), rows: []string{"0", "1", "2"}, cols: []string{"a"}, opt: matio.Table{Skip: []string{"Unnamed: 0"}}},
		{what: "pandas, saved index read again", name: "a.csv", text: "Unnamed: 0,a\n0,0.5\n1,0.25\n", want: matiotest.New(2, 1, []float64{0.5, 0.25}), rows: []string{"0", "1"}, cols: []string{"a"}},
		{what: "pandas, missing numbers", name: "a.csv", text: ",a,b\n0,1,\n1,2,3\n", err: matio.ErrMissing, says: `line 2: row 1, column 3 ("b") is empty`},
		{what: "pandas, to_csv for Germany", name: "a.csv", text: ";a;b;c\n0;0,0;0,25;0,5\n1;0,75;1,0;1,25\n", want: x, rows: []string{"0", "1"}, cols: abc, says: "comma"},
		{what: "R, write.csv", name: "a.csv", text: "\"\",\"a\",\"b\",\"c\"\n\"1\",0,0.25,0.5\n\"2\",0.75,1,1.25\n", want: x, rows: []string{"1", "2"}, cols: abc},
		{what: "R, write.csv with row names", name: "a.csv", text: "\"\",\"a\",\"b\",\"c\"\n\"r1\",0,0.25,0.5\n\"r2\",0.75,1,1.25\n", want: x, rows: ab, cols: abc},
		{what: "R, write.csv without row names", name: "a.csv", text: "\"a\",\"b\",\"c\"\n0,0.25,0.5\n0.75,1,1.25\n", want: x, cols: abc},
		{what: "R, write.csv2", name: "a.csv", text: "\"\";\"a\";\"b\";\"c\"\n\"r1\";0;0,25;0,5\n\"r2\";0,75;1;1,25\n", want: x, rows: ab, cols: abc, says: "semicolons, the decimal sign is a comma"},
		{what: "R, write.table", name: "a.txt", text: "\"a\" \"b\" \"c\"\n\"r1\" 0 0.25 0.5\n\"r2\" 0.75 1 1.25\n", want: x, rows: ab, cols: abc},
		{what: "R, write.table of a matrix without names", name: "a.txt", text: "\"V1\" \"V2\" \"V3\"\n\"1\" 0 0.25 0.5\n\"2\" 0.75 1 1.25\n", want: x, rows: []string{"1", "2"}, cols: []string{"V1", "V2", "V3"}},
		{what: "R, write.table with row names of two words", name: "a.txt", text: "\"a\" \"b\"\n\"r 1\" 0 0.25\n\"r 2\" 0.75 1\n", want: matiotest.New(2, 2, []float64{0, 0.25, 0.75, 1}), rows: []string{"r 1", "r 2"}, cols: []string{"a", "b"}},
		{what: "R, NA", name: "a.csv", text: "\"\",\"a\",\"b\"\n\"1\",0,NA\n\"2\",1,2\n", err: matio.ErrMissing, says: `column 3 ("b") is "NA"`},
		{what: "Excel", name: "a.csv", text: "\xef\xbb\xbfa,b,c\r\n0,0.25,0.5\r\n0.75,1,1.25\r\n", want: x, cols: abc},
		{what: "Excel in Germany", name: "a.csv", text: "\xef\xbb\xbfName;a;b;c\r\nr1;0;0,25;0,5\r\nr2;0,75;1;1,25\r\n", want: x, rows: ab, cols: abc},
		{what: "Excel in Germany, thousands", name: "a.csv", text: "a;b\r\n1.234,5;2\r\n", err: matio.ErrDecimal, says: `"1.234,5"`},
		{what: "Excel, thousands", name: "a.csv", text: "a,b\r\n\"1,234\",\"5,678\"\r\n", err: matio.ErrDecimal, says: "thousands"},
		{what: "Excel, decimal commas in quotes", name: "a.csv", text: "a,b\r\n\"1,25\",\"0,5\"\r\n", want: matiotest.New(1, 2, []float64{1.25, 0.5}), cols: []string{"a", "b"}},
		{what: "Excel, Unicode text", name: "a.txt", text: "\xff\xfe0\x00\t\x001\x00", err: matio.ErrUnsupported, says: "UTF-8"},
		{what: "Excel, tabs with decimal commas", name: "a.txt", text: "a\tb\n0,25\t1,5\n1\t2\n", want: matiotest.New(2, 2, []float64{0.25, 1.5, 1, 2}), cols: []string{"a", "b"}},
		{what: "Excel, tabs and doubtful commas", name: "a.txt", text: "1,250\t1,500\n1,000\t2\n", err: matio.ErrDecimal, says: `"1,250" has two readings`},
		{what: "Excel, empty cells", name: "a.csv", text: "a;b\r\n;1\r\n2;\r\n", err: matio.ErrMissing},
		{what: "Excel, #N/A", name: "a.csv", text: "a,b\r\n1,#N/A\r\n", err: matio.ErrMissing},
		{what: "LibreOffice, text in quotes", name: "a.csv", text: "\"name, first\",\"a\"\n\"r,1\",0.5\n\"r,2\",1\n", want: matiotest.New(2, 1, []float64{0.5, 1}), rows: []string{"r,1", "r,2"}, cols: []string{"a"}},
		{what: "MATLAB, writematrix", name: "a.csv", text: "0,0.25,0.5\n0.75,1,1.25\n", want: x},
		{what: "MATLAB, writetable", name: "a.csv", text: "Row,a,b,c\nr1,0,0.25,0.5\nr2,0.75,1,1.25\n", want: x, rows: ab, cols: abc},
		{what: "MATLAB, dlmwrite with tabs", name: "a.txt", text: "0\t0.25\t0.5\n0.75\t1\t1.25\n", want: x, says: "tabs"},
		{what: "MATLAB, save -ascii", name: "a.txt", text: "   0.0000000e+00   2.5000000e-01   5.0000000e-01\n   7.5000000e-01   1.0000000e+00   1.2500000e+00\n", want: x},
		{what: "an instrument, separators at the ends", name: "a.csv", text: "0,0.25,0.5,\n0.75,1,1.25,\n", want: x, says: "left out: the last column, which is empty"},
		{what: "an instrument, under names", name: "a.csv", text: "a;b;c;\n0;0,25;0,5;\n0,75;1;1,25;\n", want: x, cols: abc},
		{what: "an instrument, names without the last separator", name: "a.csv", text: "a;b;c\n0;0,25;0,5;\n0,75;1;1,25;\n", want: x, cols: abc},
		{what: "an index without a header", name: "a.csv", text: "1,0.5\n2,0.25\n3,0.75\n", want: matiotest.New(3, 1, []float64{0.5, 0.25, 0.75}), rows: []string{"1", "2", "3"}, says: ", which counts the rows from 1"},
		{what: "an index that is data", name: "a.csv", text: "1,0.5\n2,0.25\n3,0.75\n", opt: matio.Table{RowLabels: matio.Absent}, want: matiotest.New(3, 2, []float64{1, 0.5, 2, 0.25, 3, 0.75})},
		{what: "a first column that is data", name: "a.csv", text: "1,5\n2,4\n3,7\n", want: matiotest.New(3, 2, []float64{1, 5, 2, 4, 3, 7}), says: "column 1 counts the rows, but is taken for data"},
		{what: "whole numbers under names", name: "a.csv", text: "i,a\n1,5\n2,4\n3,7\n", want: matiotest.New(3, 1, []float64{5, 4, 7}), rows: []string{"1", "2", "3"}, cols: []string{"a"}, says: ", which counts the rows from 1"},
		{what: "a first row that is data", name: "a.csv", text: "1,2,3\n4,5,6\n", want: matiotest.New(2, 3, []float64{1, 2, 3, 4, 5, 6}), says: "taken for data"},
		{what: "wavelengths as names", name: "a.csv", text: ",400,410.5\ns1,0.5,1\ns2,0.25,2\n", want: matiotest.New(2, 2, []float64{0.5, 1, 0.25, 2}), rows: []string{"s1", "s2"}, cols: []string{"400", "410.5"}},
		{what: "labels, and wavelengths under a name", name: "a.csv", text: "name,400,410\ns1,0.5,1\n", opt: matio.Table{Header: matio.Present}, want: matiotest.New(1, 2, []float64{0.5, 1}), rows: []string{"s1"}, cols: []string{"400", "410"}},
		{what: "labels without a header", name: "a.csv", text: "s1,400,410\ns2,0.5,1\n", want: matiotest.New(2, 2, []float64{400, 410, 0.5, 1}), rows: []string{"s1", "s2"}, says: `row 1, "s1", is data`},
		{what: "two columns of text", name: "a.csv", text: "id,group,a\nr1,x,0.5\nr2,y,1\n", err: matio.ErrText, says: `column 2 ("group") is "x"`},
		{what: "two columns of text, one skipped", name: "a.csv", text: "id,group,a\nr1,x,0.5\nr2,y,1\n", opt: matio.Table{Skip: []string{"group"}}, want: matiotest.New(2, 1, []float64{0.5, 1}), rows: ab, cols: []string{"a"}},
		{what: "skipped by number", name: "a.csv", text: "id,group,a\nr1,x,0.5\nr2,y,1\n", opt: matio.Table{Skip: []string{"2"}}, want: matiotest.New(2, 1, []float64{0.5, 1}), rows: ab, cols: []string{"a"}},
		{what: "skipped by a name that is a number", name: "a.csv", text: ",1,2,3\nr1,x,0.5,1\nr2,y,1,2\n", opt: matio.Table{Skip: []string{"2"}}, err: matio.ErrVar, says: `"2" to skip is the name of column 3, and the number of another; write +3 or +2`},
		{what: "skipped by a number that is a name", name: "a.csv", text: ",1,2,3\nr1,x,0.5,1\nr2,y,1,2\n", opt: matio.Table{Skip: []string{"+2"}}, want: matiotest.New(2, 2, []float64{0.5, 1, 1, 2}), rows: ab, cols: []string{"2", "3"}},
		{what: "skipped in vain", name: "a.csv", text: "a,b\n1,2\n", opt: matio.Table{Skip: []string{"c"}}, err: matio.ErrVar, says: `"c"`},
		{what: "missing rows", name: "a.csv", text: "a,b\n1,2\n,4\n5,6\n", opt: matio.Table{Missing: matio.DropRows}, want: matiotest.New(2, 2, []float64{1, 2, 5, 6}), cols: []string{"a", "b"}, says: "left out: 1 of 3 rows"},
		{what: "missing rows with labels", name: "a.csv", text: ",a,b\nr,1,2\ns,NA,4\nt,5,6\n", opt: matio.Table{Missing: matio.DropRows}, want: matiotest.New(2, 2, []float64{1, 2, 5, 6}), rows: []string{"r", "t"}, cols: []string{"a", "b"}},
		{what: "missing columns", name: "a.csv", text: "a,b,c\n1,2,3\n4,null,6\n", opt: matio.Table{Missing: matio.DropCols}, want: matiotest.New(2, 2, []float64{1, 3, 4, 6}), cols: []string{"a", "c"}, says: "left out: 1 of 3 columns"},
		{what: "missing zeros", name: "a.csv", text: "a,b\n1,-\n3,4\n", opt: matio.Table{Missing: matio.Zero}, want: matiotest.New(2, 2, []float64{1, 0, 3, 4}), cols: []string{"a", "b"}, says: "1 missing number is set to 0"},
		{what: "missing means", name: "a.csv", text: "a,b\n1,nan\n3,4\n2,6\n", opt: matio.Table{Missing: matio.Mean}, want: matiotest.New(3, 2, []float64{1, 5, 3, 4, 2, 6}), cols: []string{"a", "b"}, says: "means"},
		{what: "no mean", name: "a.csv", text: "a,b\n1,nan\n3,nan\n", opt: matio.Table{Missing: matio.Mean}, err: matio.ErrMissing, says: "column 2 has no number"},
		{what: "given separator", name: "a.csv", text: "1;2\n3;4\n", opt: matio.Table{Separator: ','}, err: matio.ErrText, says: `"1;2"`},
		{what: "given decimal sign", name: "a.txt", text: "1,250\t1,500\n", opt: matio.Table{Decimal: ','}, want: matiotest.New(1, 2, []float64{1.25, 1.5})},
		{what: "a mix of decimal signs", name: "a.csv", text: "1.5;2,5\n", err: matio.ErrDecimal},
		{what: "pandas, whole numbers and index without header", name: "a.csv", text: "0,1,2.5\n1,3,4.0\n2,5,6.0\n", want: matiotest.New(3, 2, []float64{1, 2.5, 3, 4, 5, 6}), rows: []string{"0", "1", "2"}, says: "counts the rows from 0"},
		{what: "pandas, index of dates", name: "a.csv", text: ",a,b\n2020-01-01,0.0,0.25\n2020-01-02,0.5,1.0\n", want: matiotest.New(2, 2, []float64{0, 0.25, 0.5, 1}), rows: []string{"2020-01-01", "2020-01-02"}, cols: []string{"a", "b"}},
		{what: "pandas, named index and years", name: "a.csv", text: "name,2019,2020\nx,0.5,1\ny,0.25,2\n", err: matio.ErrHeader, says: `"name 2019 2020"`},
		{what: "pandas, named index over numbered columns", name: "a.csv", text: "name,0,1,2\nx,5,6,7\n", want: matiotest.New(1, 3, []float64{5, 6, 7}), rows: []string{"x"}, cols: []string{"0", "1", "2"}},
		{what: "pandas, years without index", name: "a.csv", text: "2019,2020\n0.5,1\n0.25,2\n", err: matio.ErrHeader},
		{what: "pandas, years without index, said", name: "a.csv", text: "2019,2020\n0.5,1\n0.25,2\n", opt: matio.Table{Header: matio.Present}, want: matiotest.New(2, 2, []float64{0.5, 1, 0.25, 2}), cols: []string{"2019", "2020"}},
		{what: "pandas, two levels of index", name: "a.csv", text: ",,0,1\n0,0,1,2.5\n0,1,3,4.0\n", err: matio.ErrText, says: "column 2"},
		{what: "pandas, truth values", name: "a.csv", text: ",a,b\n0,True,False\n1,False,True\n", err: matio.ErrText, says: `column 2 ("a") is "True"`},
		{what: "pandas, truth values first", name: "a.csv", text: "a,b\nTrue,1\nFalse,2\n", err: matio.ErrText, says: `column 1 ("a") is "True"`},
		{what: "pandas, to_string", name: "a.txt", text: "   a    b\n0  1  2.5\n1  3  4.0\n", want: matiotest.New(2, 2, []float64{1, 2.5, 3, 4}), rows: []string{"0", "1"}, cols: []string{"a", "b"}},
		{what: "numbers of people", name: "a.csv", text: "id,a\n10017,0.5\n10045,0.25\n10032,0.75\n", want: matiotest.New(3, 1, []float64{0.5, 0.25, 0.75}), rows: []string{"10017", "10045", "10032"}, cols: []string{"a"}, says: `"10017" to "10032" (column 1, "id")`},
		{what: "spectra beside their wavelengths", name: "a.csv", text: "nm,a\n400,1\n410,2\n420,1\n430,3\n440,1\n450,1\n460.5,2\n470,1\n", want: matiotest.New(8, 1, []float64{1, 2, 1, 3, 1, 1, 2, 1}), rows: []string{"400", "410", "420", "430", "440", "450", "460.5", "470"}, cols: []string{"a"}, says: `column 1, "nm", which holds different numbers`},
		{what: "a few increasing numbers", name: "a.csv", text: "5,0.5\n6,0.25\n8,0.75\n", want: matiotest.New(3, 2, []float64{5, 0.5, 6, 0.25, 8, 0.75}), says: "increases from row to row, but is taken for data"},
		{what: "columns that all increase", name: "a.csv", text: "a,b\n2,1\n3,2\n4,3\n5,4\n6,5\n7,6\n8,7\n9,9\n", want: matiotest.New(8, 2, []float64{2, 1, 3, 2, 4, 3, 5, 4, 6, 5, 7, 6, 8, 7, 9, 9}), cols: []string{"a", "b"}},
		{what: "Excel, thousands with decimals", name: "a.csv", text: "a,b\n\"1,234.5\",\"2,000.25\"\n3.5,4\n", err: matio.ErrDecimal},
		{what: "Excel, millions", name: "a.csv", text: "a;b\n\"1,234,567\";2\n", err: matio.ErrDecimal},
		{what: "Excel in Germany, thousands alone", name: "a.csv", text: "a;b\n1.234;5.678\n2.000;1.500\n", err: matio.ErrDecimal, says: `"1.234" has two readings`},
		{what: "semicolons and points that show decimals", name: "a.csv", text: "a;b\n1.234;0.678\n", want: matiotest.New(1, 2, []float64{1.234, 0.678}), cols: []string{"a", "b"}},
		{what: "Excel in Germany, one column", name: "a.csv", text: "Wert\r\n1,5\r\n2,5\r\n", err: matio.ErrDecimal, says: "the comma may be the decimal sign"},
		{what: "Excel in Germany, one column, said", name: "a.csv", text: "Wert\r\n1,5\r\n2,5\r\n", opt: matio.Table{Separator: ';'}, want: matiotest.New(2, 1, []float64{1.5, 2.5}), cols: []string{"Wert"}},
		{what: "Excel in France, blanks of thousands", name: "a.csv", text: "a;b\n1 234,5;2\n3;4\n", err: matio.ErrText, says: `"1 234,5"`},
		{what: "Excel in France, hard blanks of thousands", name: "a.csv", text: "a;b\n1\u202f234,5;2\n3;4\n", err: matio.ErrText},
		{what: "Excel in Switzerland", name: "a.csv", text: "a;b\n1’234.5;2\n3;4\n", err: matio.ErrText},
		{what: "Excel, percent", name: "a.csv", text: "a,b\n10%,2\n5%,1\n", err: matio.ErrText, says: `"10%"`},
		{what: "Excel, currency", name: "a.csv", text: "a,b\n$1.50,2\n$3,4\n", err: matio.ErrText},
		{what: "Excel, brackets for a minus", name: "a.csv", text: "a,b\n(1.5),2\n3,4\n", err: matio.ErrText},
		{what: "Excel, apostrophes before text", name: "a.csv", text: "a,b\n'1,2\n'3,4\n", err: matio.ErrText},
		{what: "Excel, errors of formulas", name: "a.csv", text: "a,b\n1,#DIV/0!\n2,#NAME?\n", err: matio.ErrMissing, says: `"#DIV/0!"`},
		{what: "Excel, sep=", name: "a.csv", text: "sep=;\r\na;b\r\n1,5;2\r\n3;4,5\r\n", want: matiotest.New(2, 2, []float64{1.5, 2, 3, 4.5}), cols: []string{"a", "b"}},
		{what: "Excel, UTF-16 without a mark", name: "a.csv", text: "a\x00,\x00b\x00\n\x001\x00,\x002\x00\n\x00", err: matio.ErrUnsupported, says: "UTF-8"},
		{what: "Excel, Windows letters", name: "a.csv", text: "stra\xdfe,b\n1,2\n3,4.5\n", want: matiotest.New(2, 2, []float64{1, 2, 3, 4.5}), cols: []string{"straße", "b"}, says: "Latin-1"},
		{what: "Excel, Windows letters in a list", name: "a.csv", text: "row,column,value\nstra\xdfe,a,0.5\nb,\xe9,1\n", want: matiotest.New(2, 2, []float64{0.5, 0, 0, 1}), rows: []string{"straße", "b"}, cols: []string{"a", "é"}, says: "Latin-1"},
		{what: "Excel for Macintosh, carriage returns", name: "a.csv", text: "a,b\r1,2\r3,4.5\r", want: matiotest.New(2, 2, []float64{1, 2, 3, 4.5}), cols: []string{"a", "b"}},
		{what: "a word processor's minus", name: "a.csv", text: "a,b\n−1.5,2\n3,4\n", err: matio.ErrText},
		{what: "hard blanks around numbers", name: "a.csv", text: "a,b\n1\u00a0,\u00a02\n3.5,4\n", want: matiotest.New(2, 2, []float64{1, 2, 3.5, 4}), cols: []string{"a", "b"}},
		{what: "SAS, a point for what is missing", name: "a.csv", text: "a,b\n.,2\n3,4\n", err: matio.ErrMissing},
		{what: "Fortran's exponents", name: "a.txt", text: " 1.5D+02 0.25D0\n 1D-1 2\n", want: matiotest.New(2, 2, []float64{150, 0.25, 0.1, 2})},
		{what: "Fortran's exponents in doubt", name: "a.csv", text: "a,b\n1D5,2\n3,4\n", err: matio.ErrText, says: `"1D5"`},
		{what: "MATLAB, complex numbers", name: "a.csv", text: "1+2i,3\n4,5\n", err: matio.ErrText, says: `"1+2i"`},
		{what: "MATLAB, a comment", name: "a.csv", text: "% data\n1,2\n3,4.5\n", err: matio.ErrFormat, says: "must begin with #"},
		{what: "NumPy, complex numbers", name: "a.txt", text: " (1.0e+00+0.0e+00j) 2\n", err: matio.ErrText},
		{what: "Octave, save", name: "a.txt", text: "# Created by Octave\n# name: A\n# rows: 2\n 1 2\n 3 4.5\n\n", want: matiotest.New(2, 2, []float64{1, 2, 3, 4.5})},
		{what: "names with underscores, as Go writes numbers", name: "a.csv", text: "a,b\n1_1,0.5\n1_2,1\n", want: matiotest.New(2, 1, []float64{0.5, 1}), rows: []string{"1_1", "1_2"}, cols: []string{"b"}},
		{what: "hexadecimal numbers", name: "a.csv", text: "a,b\n1,0x10\n2,3\n", err: matio.ErrText},
		{what: "bars", name: "a.csv", text: "a|b\n1|2\n3|4.5\n", want: matiotest.New(2, 2, []float64{1, 2, 3, 4.5}), cols: []string{"a", "b"}, says: "bars"},
		{what: "a sheet with blank lines at its end", name: "a.csv", text: ",a,b\nr1,1,2\nr2,3,4.5\n,,\n,,\n", want: matiotest.New(2, 2, []float64{1, 2, 3, 4.5}), rows: ab, cols: []string{"a", "b"}, says: "2 lines of separators alone (from line 4)"},
		{what: "blank lines among rows with labels", name: "a.csv", text: "id;a;b\nr1;1;2\n;;\nr2;3;4,5\n", want: matiotest.New(2, 2, []float64{1, 2, 3, 4.5}), rows: ab, cols: []string{"a", "b"}, says: "1 line of separators alone (from line 3)"},
		{what: "a sheet of one row with blank lines", name: "a.csv", text: "a,b\n1,2\n,\n", want: matiotest.New(1, 2, []float64{1, 2}), cols: []string{"a", "b"}, says: "1 line of separators alone at the end"},
		{what: "a blank line between others", name: "a.csv", text: "a,b\n1,2\n,\n3,4\n", err: matio.ErrMissing, says: "line 3: row 2"},
		{what: "a blank line that is missing", name: "a.csv", text: "a,b\n1,2\n,\n3,4.5\n,\n", opt: matio.Table{Missing: matio.Zero}, want: matiotest.New(3, 2, []float64{1, 2, 0, 0, 3, 4.5}), cols: []string{"a", "b"}},
		{what: "a sheet with blank columns at its end", name: "a.csv", text: ",a,b,,\nr1,1,2,,\nr2,3,4.5,,\n", want: matiotest.New(2, 2, []float64{1, 2, 3, 4.5}), rows: ab, cols: []string{"a", "b"}, says: "the last 2 columns, which have neither names nor numbers"},
		{what: "a blank column that is filled later", name: "a.csv", text: "a,b,,\n1,2,,\n3,4,,\n3,4,5,\n", err: matio.ErrFormat, says: "line 4: row 3, column 3"},
		{what: "a limit of detection", name: "a.csv", text: "a,b\n1,<0.05\n2,3\n", err: matio.ErrLimit, says: `column 2 ("b") is "<0.05"`},
		{what: "limits of detection first", name: "a.csv", text: "a,b\n<0.05,1\n≤ 2,3\n", err: matio.ErrLimit, says: `column 1 ("a") is "<0.05"`},
		{what: "half of the limit of detection", name: "a.csv", text: "a,b\n1,<0.5\n< 2,3\n", opt: matio.Table{Below: matio.Half}, want: matiotest.New(2, 2, []float64{1, 0.25, 1, 3}), cols: []string{"a", "b"}, says: `2 cells are below a limit of detection, such as "<0.5", and taken for half of their limit`},
		{what: "the limit of detection", name: "a.csv", text: "1;<0,5\n<=2;3\n", opt: matio.Table{Below: matio.Limit}, want: matiotest.New(2, 2, []float64{1, 0.5, 2, 3}), says: "taken for their limit"},
		{what: "missing below the limit of detection", name: "a.csv", text: "a,b\n1,<0.5\n2,3\n", opt: matio.Table{Below: matio.Unknown}, err: matio.ErrMissing, says: `is "<0.5"`},
		{what: "zero below the limit of detection", name: "a.csv", text: "a,b\n1,<0.5\n2,3\n", opt: matio.Table{Below: matio.Unknown, Missing: matio.Zero}, want: matiotest.New(2, 2, []float64{1, 0, 2, 3}), cols: []string{"a", "b"}, says: "and taken for missing; 1 missing number is set to 0"},
		{what: "no limit of detection", name: "a.csv", text: "a,b\n1,2.5\n2,3\n", opt: matio.Table{Below: matio.Half}, want: matiotest.New(2, 2, []float64{1, 2.5, 2, 3}), cols: []string{"a", "b"}, says: "no cell is below"},
		{what: "above a limit", name: "a.csv", text: "a,b\n1,>200\n2,3\n", opt: matio.Table{Below: matio.Half}, err: matio.ErrText, says: `is ">200"`},
		{what: "limits in a list", name: "a.csv", text: "row,column,value\na,x,<3\nb,y,ND\n", opt: matio.Table{Below: matio.Half, Words: []string{"ND"}, Missing: matio.DropRows}, want: matiotest.New(1, 1, []float64{1.5}), rows: []string{"a"}, cols: []string{"x"}, says: "1 cell is below"},
		{what: "limits in a list without a header", name: "a.csv", text: "a,x,<3\nb,y,2\n", opt: matio.Table{Triples: true, Below: matio.Limit}, want: matiotest.New(2, 2, []float64{3, 0, 0, 2}), rows: []string{"a", "b"}, cols: []string{"x", "y"}},
		{what: "texts of missing numbers", name: "a.csv", text: "id,Nd,ND\nND,ND,1\nb,n.d.,2\n", opt: matio.Table{Words: []string{"ND", "n.d.", "nd"}, Missing: matio.Zero}, want: matiotest.New(2, 2, []float64{0, 1, 0, 2}), rows: []string{"ND", "b"}, cols: []string{"Nd", "ND"}, says: `1 cell holds "ND" and no number; 1 cell holds "n.d." and no number; 2 missing numbers`},
		{what: "texts of missing numbers first", name: "a.csv", text: "ND,ND\nND,2\nND,3.5\n", opt: matio.Table{Words: []string{"ND"}, Missing: matio.Zero}, want: matiotest.New(3, 2, []float64{0, 0, 0, 2, 0, 3.5})},
		{what: "texts of missing numbers, refused", name: "a.csv", text: "a,b\n1,ND\n", opt: matio.Table{Words: []string{"ND"}}, err: matio.ErrMissing, says: `is "ND"`},
		{what: "numbers with an asterisk", name: "a.csv", text: "a,b\n87*,1\n8,2\n", err: matio.ErrText, says: `is "87*"`},
		{what: "a mark of missing numbers", name: "a.csv", text: "a,b\n1,ND\n2,3\n", err: matio.ErrText, says: "write NA"},
		{what: "a map as a list", name: "a.csv", text: "x,y,w,i\n0,0,1,5\n0,0,2,6\n0,1,1,7\n0,1,2,5\n1,0,1,3\n1,0,2,5\n1,1,1,4\n1,1,2,9\n", err: matio.ErrUnsupported, says: "coordinates of a grid of 2 x 2 x 2 points, each of which occurs once, and column 4 is a value"},
		{what: "a list of pairs", name: "a.csv", text: "s,k,n\n1,1,5\n1,2,6\n2,1,7\n2,2,5\n3,1,3\n3,2,5\n9,1,4\n9,2,9\n", err: matio.ErrUnsupported, says: "--triples reads it as row, column and value"},
		{what: "a list under labels, read as it says", name: "a.csv", text: "site,year,n\nb,2002,5\nb,2001,6\na,2001,7\n", opt: matio.Table{Triples: true}, want: matiotest.New(2, 2, []float64{6, 5, 7, 0}), rows: []string{"b", "a"}, cols: []string{"2001", "2002"}},
		{what: "a list of two texts", name: "a.csv", text: "site,kind,n\na,x,5\na,y,6\nb,x,7\n", err: matio.ErrText, says: "this is a list and no matrix, which --triples reads"},
		{what: "columns of few values", name: "a.csv", text: "s,k,n\n1,1,5\n1,2,6\n2,1,7\n2,2,5\n3,1,3\n3,1,5\n9,1,4\n9,2,9\n", want: matiotest.New(8, 3, []float64{1, 1, 5, 1, 2, 6, 2, 1, 7, 2, 2, 5, 3, 1, 3, 3, 1, 5, 9, 1, 4, 9, 2, 9}), cols: []string{"s", "k", "n"}},
		{what: "years and months", name: "a.csv", text: "year,month,a\n2019,11,5\n2019,12,6\n2020,1,7\n2020,2,5\n", want: matiotest.New(4, 3, []float64{2019, 11, 5, 2019, 12, 6, 2020, 1, 7, 2020, 2, 5}), cols: []string{"year", "month", "a"}, says: "columns 1 and 2 look like coordinates, such as places or times, but are taken for data; --skip-columns 1,2 leaves them out"},
		{what: "places with units", name: "a.csv", text: "site,Lat_deg,Lon (deg),a\nr1,47.5,8,5\nr2,46,9,6\n", want: matiotest.New(2, 3, []float64{47.5, 8, 5, 46, 9, 6}), rows: ab, cols: []string{"Lat_deg", "Lon (deg)", "a"}, says: "--skip-columns 2,3"},
		{what: "places behind the data", name: "a.csv", text: "site,a,lat,lon\nr1,5,47.5,8\nr2,6,46,9\n", want: matiotest.New(2, 3, []float64{5, 47.5, 8, 6, 46, 9}), rows: ab, cols: []string{"a", "lat", "lon"}, says: "columns 3 and 4 look like coordinates"},
		{what: "hours beside dates", name: "a.csv", text: "Date,Hour,a\n2024-01-01,7,5\n2024-01-02,8,6\n", want: matiotest.New(2, 2, []float64{7, 5, 8, 6}), rows: []string{"2024-01-01", "2024-01-02"}, cols: []string{"Hour", "a"}, says: "column 2 looks like a coordinate, such as a place or a time, but is taken for data; --skip-columns 2 leaves it out"},
		{what: "labels with a blank in a list", name: "a.csv", text: "day,site,n\nr1,site 1,5\nr2,site 2,6\n", err: matio.ErrText, says: `column 2 ("site") is "site 1", not a number; if columns 1 and 2 are the row and the column`},
		{what: "a grid without names", name: "a.csv", text: "1,8,5,3\n2,8,6,1\n4,8,7,3\n1,7,5,3\n2,7,3,1\n4,7,5,3\n1,5,4,1\n2,5,9,4\n", want: matiotest.New(8, 4, []float64{1, 8, 5, 3, 2, 8, 6, 1, 4, 8, 7, 3, 1, 7, 5, 3, 2, 7, 3, 1, 4, 7, 5, 3, 1, 5, 4, 1, 2, 5, 9, 4}), says: "columns 1 and 2 look like"},
		{what: "ragged rows", name: "a.csv", text: "a,b,c\n1,2,3\n4,5\n", err: matio.ErrFormat, says: "line 3: 2 cells"},
		{what: "a title", name: "a.csv", text: "Title\n\na,b\n1,2\n3,4.5\n", err: matio.ErrText},
		{what: "GCT", name: "a.gct", text: "#1.2\t\t\n2\t2\t\nNAME\tDescription\tr1\t7\n12\tna\t1\t2.5\nb\t4\t3\t4\n", want: matiotest.New(2, 2, []float64{1, 2.5, 3, 4}), rows: []string{"12", "b"}, cols: []string{"r1", "7"}, says: `left out: column 2, "Description"`},
		{what: "GCT with descriptions of columns", name: "a.txt", text: "#1.3\r\n2\t2\t2\t2\r\nid\tx\ty\ts1\ts2\r\nage\tna\tna\t60\t70\r\nsex\tna\tna\tf\tm\r\nr1\t1\tu\t1\t2.5\r\nr2\t2\tv\t3\t4\r\n", want: matiotest.New(2, 2, []float64{1, 2.5, 3, 4}), rows: ab, cols: []string{"s1", "s2"}, says: `left out: column 2, "x", column 3, "y", 2 lines of descriptions of the columns`},
		{what: "GCT with missing rows", name: "a.gct", text: "#1.2\n2\t1\nN\tD\ta\nr1\tu\t\nr2\tv\t3\n", opt: matio.Table{Missing: matio.DropRows}, want: matiotest.New(1, 1, []float64{3}), rows: []string{"r2"}, cols: []string{"a"}, says: "1 of 2 rows"},
		{what: "GCT of other sizes", name: "a.gct", text: "#1.2\n3\t2\nN\tD\ta\tb\nr1\tu\t1\t2\nr2\tv\t3\t4\n", err: matio.ErrFormat, says: "line 2: it gives 3 x 2 numbers, but there are 2 x 2"},
		{what: "GCT without sizes", name: "a.gct", text: "#1.2\nN\tD\ta\n", err: matio.ErrFormat, says: "line 1: want #1.2 above the numbers"},
		{what: "GCT, a damaged number", name: "a.gct", text: "#1.3\n1\t1\t0\t1\nid\ta\nage\tx\nr1\tx\n", err: matio.ErrText, says: `line 5: row 1, column 2 ("a") is "x"`},
		{what: "columns of one name, skipped", name: "a.csv", text: "a,b,a\n1,2,3\n4,5.5,6\n", opt: matio.Table{Skip: []string{"a"}}, want: matiotest.New(2, 1, []float64{2, 5.5}), cols: []string{"b"}},
		{what: "infinite", name: "a.csv", text: "a,b\n1,Inf\n2,3\n", want: matiotest.New(2, 2, []float64{1, math.Inf(1), 2, 3}), cols: []string{"a", "b"}},
	} {
		path, said := matiotest.Write(t, c.name, []byte(c.text)), ""
		if f, err := matio.Open(path, matio.Options{Table: c.opt, Library: true}); err != nil {
			said = err.Error()
		} else {
			said = f.Reading()
			f.Close()
		}
		if strings.Contains(said, "--") {
			t.Errorf("%s: the library says %q, which names flags", c.what, said)
		}
		f, err := matio.Open(path, matio.Options{Table: c.opt})
		if c.err != nil {
			must.Fail(t, err, c.err, c.says, c.what, "error")
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		rows, cols, data, err := matio.Dense[float64](f)
		if err != nil || rows != c.want.Rows || cols != c.want.Cols || !slices.Equal(data, c.want.Data) {
			t.Errorf("%s: %d x %d %v, %v; want %v", c.what, rows, cols, data, err, c.want)
		}
		if !slices.Equal(f.RowNames(), c.rows) || !slices.Equal(f.ColNames(), c.cols) {
			t.Errorf("%s: rows %q, columns %q; want %q and %q", c.what, f.RowNames(), f.ColNames(), c.rows, c.cols)
		}
		if !strings.Contains(f.Reading(), c.says) {
			t.Errorf("%s: %q lacks %q", c.what, f.Reading(), c.says)
		}
		f.Close()
	}
}

func TestTableText(t *testing.T) {
	for name, text := range map[string]string{
		"a.csv": "0,0.25,0.5\n0.75,1,1.25\n",
		"b.csv": "0, .25 ,5e-1\r\n\r\n0.75,\"1\",1.25",
		"d.csv": "\xef\xbb\xbfone,two,\n0,0.25,0.5\n0.75,1,1.25\n",
		"g.csv": "0,0.25,0.5\n  \n0.75,1,1.25\n",
		"e.csv": "# x,y\n0;0.25;0.5\n0.75;1;1.25\n",
		"f.csv": "0\t0.25\t0.5\n0.75\t1\t1.25\n",
		"a.tsv": "a,1\tb\tc\n0\t0.25\t0.5\n0.75\t1\t1.25\n",
	} {
		matiotest.WantDense(t, matiotest.Write(t, name, []byte(text)), "", matiotest.Quarters)
	}
	long := matiotest.Numbered(2, 4000) // whose rows exceed what is read at once
	for _, between := range []string{" ", "  \t"} {
		text := strings.Trim(strings.ReplaceAll(fmt.Sprint(long.Data), " ", between), "[]")
		text = strings.Replace(text, between+"4000", "\n4000", 1)
		matiotest.WantDense(t, matiotest.Write(t, "a.txt", []byte(text)), "", long)
	}
	matiotest.WantDense(t, matiotest.Write(t, "a.csv", []byte("1\n2\n3")), "", matiotest.New(3, 1, []float64{1, 2, 3}))
	matiotest.WantDense(t, matiotest.Write(t, "a.csv", nil), "", matiotest.New(0, 0, nil))
	matiotest.WantDense(t, matiotest.Write(t, "a.csv", []byte("a,b\n")), "", matiotest.New(0, 0, nil))
}

func TestTableErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", "a,b\n1,2\n3,x\n", `line 3: row 2, column 2 ("b") is "x", not a number`},
		{"a.csv", "1,2\n3,x\n", `line 2: row 2, column 2 is "x"`},
		{"a.csv", "1,x\n3,4\n", `line 1: row 1, column 2 is "x", not a number; the row is not a header`},
		{"a.csv", "a,b\n1,\n", `line 2: row 1, column 2 ("b") is empty`},
		{"a.tsv", "1\t\t2\n", "row 1, column 2 is empty"},
		{"a.csv", "1,2\n3,1e999\n", `"1e999", beyond`},
		{"a.csv", "a,b\n1,2\n\n3\n", `line 4: 1 cell, "3", but the first row has 2; delete the line`},
		{"a.csv", "a,b,c\n1,2,3\n4,5\n", "line 3: 2 cells, but the first row has 3"},
		{"a.csv", "r,a,b\nx,87*,3\n", `line 2: row 1, column 2 ("a") is "87*", a number with a mark behind it; delete the mark`},
		{"a.csv", "a,b\n1,2\n\n3,87*\n", `line 4: row 2, column 2 ("b") is "87*", a number with a mark behind it; delete the mark`},
		{"a.csv", "a,b\n1,2\n,\n,\n3,4\n", "line 3: row 2 has no cell with a number, and lines with numbers follow; delete the line"},
		{"a.csv", "1,2\n\"3,4\n", "line 2"},
		{"a.csv", "1,2\n3\"3,4\n", "line 2: byte 2 of the line"},
		{"a.csv", ",,\n1,2,3\n", "line 1: row 1 has no cell with a number"},
		{"a.csv", "a,b,c,d,e\n1,2,3\n4,5,6\n", "line 1: 5 names for 3 columns"},
		{"a.csv", "a,b,c,d\n1,2,3\n4,5,6\n", "line 1: 4 names for 3 columns"},
		{"a.csv", "a,b\n0.1,2,3\n4,5,6\n", "line 1: 2 names for 3 columns, and column 1 does not hold row labels"},
		{"a.csv", "Title\n1,2,3\n4,5,6\n", "line 1: 1 name for 3 columns; a line before the header must begin with #"},
		{"a.txt", "3\n2\n5\n1 2 3\n2 1 1\n", `line 4: row 4, column 1 is "1 2 3"; if three lines of sizes begin a bag of words`},
		{"a.csv", "a,b,c\n1\n4,5,6\n", "line 2: 1 cell, but the first row has 3"},
	} {
		matiotest.WantError(t, matiotest.Write(t, c.name, []byte(c.text)), matio.Options{}, matio.ErrFormat, c.want)
	}
	matiotest.WantError(t, matiotest.Write(t, "a.csv", []byte("\xff\xfe1\x00,\x002\x00")), matio.Options{}, matio.ErrUnsupported, "UTF-16")
	matiotest.WantError(t, matiotest.Write(t, "map.txt", []byte("\t\t1800.5\t1748.3\n0\t0\t2\t1\n1\t0\t3\t4\n")), matio.Options{}, matio.ErrUnsupported, "hold numbers, as the coordinates of the points of a map")
}

// TestRules: each rule of docs/convert.md acts and says so, in a note or an error, and the option beside it
// replaces the rule and its note. "not: " is before what a table beyond a limit of its rule does not say.
func TestRules(t *testing.T) {
	page := strings.Join(strings.Fields(string(must.Get(os.ReadFile("../../../../docs/convert.md"))(t))), " ")
	no, yes := matio.Table{RowLabels: matio.Absent}, matio.Table{RowLabels: matio.Present}
	long := "site,year,n\n" // in which the points of the last rows count, too
	for i := range 20000 {
		long += fmt.Sprintf("s%d,%d,%d\n", i/100, i%100, i%7)
	}
	for _, c := range []struct {
		rule, text, says string
		size             [2]int // of the matrix; 0, 0 if it is refused
		opt              matio.Table
		with             [2]int // the size with the option
	}{
		{"a first line such as `sep=;` gives", "sep=;\n1,5;2\n3;4,5\n", "", [2]int{2, 2}, matio.Table{Separator: ','}, [2]int{}},
		{"the first of tab", "1\t2,5\n3\t4\n", "tabs", [2]int{2, 2}, matio.Table{Separator: '\t'}, [2]int{2, 2}},
		{"semicolon", "1;2.5\n3;4\n", "semicolons", [2]int{2, 2}, matio.Table{Separator: ';'}, [2]int{2, 2}},
		{"bar and blanks", "1|2.5\n3|4\n", "bars", [2]int{2, 2}, matio.Table{Separator: '|'}, [2]int{2, 2}},
		{"bar and blanks", "1 2.5\n3 4\n", "blanks", [2]int{2, 2}, matio.Table{Separator: ' '}, [2]int{2, 2}},
		{"the first point or comma in a number", "1;2,5\n3;4\n", "the decimal sign is a comma", [2]int{2, 2}, matio.Table{Decimal: ','}, [2]int{2, 2}},
		{"all of them may separate thousands", "1,250\t2\n3\t4\n", "two readings", [2]int{}, matio.Table{Decimal: ','}, [2]int{2, 2}},
		{"none of its cells is a number", "a,b\n1,2\n3,4.5\n", "(row 1)", [2]int{2, 2}, matio.Table{Header: matio.Present}, [2]int{2, 2}},
		{"its first cell is missing or empty", ",4,9\nr,1,2\ns,3,4\n", "(row 1)", [2]int{2, 2}, matio.Table{Header: matio.Present}, [2]int{2, 2}},
		{"counts the columns from 0 or 1", "0,1,2\n0.5,1,2\n3,4.5,1\n", "row 1, which counts the columns", [2]int{2, 3}, matio.Table{Header: matio.Absent}, [2]int{3, 3}},
		{"its numbers may be names: they rise", "2019,2020\n0.5,1\n3,4\n", "may be column names or data", [2]int{}, matio.Table{Header: matio.Absent}, [2]int{3, 2}},
		{"whole and all different", "gene,17,4,9\nx,10,3,9\ny,1,3,3\n", "may be column names or data", [2]int{}, matio.Table{Header: matio.Present}, [2]int{2, 3}},
		{"whole and all different", "gene,17,4\nx,0.5,3\ny,1,3.5\n", "not: may be column names", [2]int{3, 2}, matio.Table{Header: matio.Present}, [2]int{2, 2}},
		{"an empty cell, `NA`", "a,b\n1,\n3,4\n", "is empty", [2]int{}, matio.Table{Missing: matio.DropRows}, [2]int{1, 2}},
		{"an error of Excel", "a,b\n1,#DIV/0!\n3,4\n", `is "#DIV/0!"`, [2]int{}, matio.Table{Missing: matio.DropCols}, [2]int{2, 1}},
		{"if a cell of it is text", "r,a,b\nx,1,2\ny,3,4\n", "(column 1", [2]int{2, 2}, yes, [2]int{2, 2}},
		{"its name is empty", ",a,b\n5,1,2\n9,3,4\n", "(column 1", [2]int{2, 2}, no, [2]int{2, 3}},
		{"`index`", "index,a,b\n5,1,2\n9,3,4\n", "(column 1", [2]int{2, 2}, no, [2]int{2, 3}},
		{"ends with the word id", "GeneID,a,b\n5,1,2\n9,3,4\n", "(column 1", [2]int{2, 2}, no, [2]int{2, 3}},
		{"it counts the rows", "i,a,b\n1,1,2\n2,3,4\n3,1,1\n", ", which counts the rows from 1", [2]int{3, 2}, no, [2]int{3, 3}},
		{"more than ten times larger than all others", "No.,a,b\n77,1,2\n69,3,4\n58,1,1\n", "holds different numbers, more than 10 times larger", [2]int{3, 2}, no, [2]int{3, 3}},
		{"rises or falls over eight rows", "nm,a\n9,4\n8,2\n7,1\n6,9\n5,5\n4,5\n3,6\n2,7\n", "alone decreases", [2]int{8, 1}, no, [2]int{8, 2}},
		{"The last two cases need a header", "9.5,4\n8,2\n7,1\n6,9\n5,5\n4,5\n3,6\n2,7\n", "but is taken for data", [2]int{8, 2}, yes, [2]int{8, 1}},
		{"the last comment above it is one", "# a b c\n1 2 3\n4 5 6.5\n", "that begins with #", [2]int{2, 3}, matio.Table{Header: matio.Absent}, [2]int{2, 3}},
		{"the coordinates of a grid", "x,y,w,i\n0,0,1,5\n0,0,2,6\n0,1,1,7\n0,1,2,5\n1,0,1,3\n1,0,2,5\n1,1,1,4\n1,1,2,9\n", "coordinates of a grid", [2]int{}, no, [2]int{8, 4}},
		{"of which the first may hold labels", "site,year,n\na,2001,5\na,2002,6\nb,2001,7\nb,2002,5\nc,2001,3\nc,2002,5\nd,2001,4\nd,2002,9\n", "coordinates of a grid of 4 x 2", [2]int{}, yes, [2]int{8, 2}},
		{"of which the first may hold labels", long, "coordinates of a grid of 200 x 100", [2]int{}, yes, [2]int{20000, 2}},
		{"at least half of the points", "site,year,n\na,2001,5\na,2002,6\na,2003,7\nb,2002,5\nb,2004,3\nc,2003,5\nc,2001,4\nc,2004,9\n", "look like coordinates, of which most pairs occur once", [2]int{8, 2}, yes, [2]int{8, 2}},
		{"at least half of the points", "site,year,n\na,2001,5\na,2002,6\na,2003,7\nb,2002,5\nb,2004,3\nc,2003,5\nc,2001,4\nc,2003,9\n", "not: look like coordinates", [2]int{8, 2}, yes, [2]int{8, 2}},
		{"by their names, such as `year` and `month`", "year,month,a\n2019,11,5\n2018,12,6\n2019,1,7\n", "look like coordinates", [2]int{3, 3}, no, [2]int{3, 3}},
		{"one counts within the other over eight rows", "1,8,5,3\n2,8,6,1\n4,8,7,3\n1,7,5,3\n2,7,3,1\n4,7,5,3\n1,5,4,1\n2,5,9,4\n", "look like coordinates", [2]int{8, 4}, no, [2]int{8, 4}},
		{"one counts within the other over eight rows", "1,8,5,3\n4,8,6,1\n2,8,7,3\n1,7,5,3\n2,7,3,1\n4,7,5,3\n1,5,4,1\n2,5,9,4\n", "not: look like coordinates", [2]int{8, 4}, no, [2]int{8, 4}},
	} {
		path := matiotest.Write(t, "a.csv", []byte(c.text))
		says, silent := strings.CutPrefix(c.says, "not: ")
		if !strings.Contains(page, c.rule) {
			t.Errorf("docs/convert.md does not say %q", c.rule)
		}
		for given, x := range []struct {
			opt  matio.Table
			size [2]int
			says bool
		}{{matio.Table{}, c.size, !silent}, {c.opt, c.with, says == ""}} {
			size, said := [2]int{}, ""
			if f, err := matio.Open(path, matio.Options{Table: x.opt}); err != nil {
				said = err.Error()
			} else {
				rows, cols := f.Dims()
				if size, said = [2]int{rows, cols}, f.Reading(); given == 1 {
					said = strings.Join(f.Notes(), "; ")
				}
				f.Close()
			}
			if size != x.size || strings.Contains(said, says) != x.says {
				t.Errorf("%s, %+v: %v, want %v; %q says %q: %v", c.rule, x.opt, size, x.size, said, says, !x.says)
			}
		}
	}
}
