package matio

import (
	"testing"
)

func TestCSV(t *testing.T) {
	for name, text := range map[string]string{
		"a.csv": "0,0.25,0.5\n0.75,1,1.25\n",
		"b.csv": "0, .25 ,5e-1\r\n\r\n0.75,\"1\",1.25",
		"d.csv": "\xef\xbb\xbfone,two,\n0,0.25,0.5\n0.75,1,1.25\n",
		"e.csv": "# x,y\n0;0.25;0.5\n0.75;1;1.25\n",
		"f.csv": "0\t0.25\t0.5\n0.75\t1\t1.25\n",
		"a.tsv": "a,1\tb\tc\n0\t0.25\t0.5\n0.75\t1\t1.25\n",
	} {
		wantDense(t, write(t, name, []byte(text)), "", quarters)
	}
	wantDense(t, write(t, "a.csv", []byte("1\n2\n3")), "", matrix{3, 1, []float64{1, 2, 3}})
	wantDense(t, write(t, "a.csv", nil), "", matrix{0, 0, nil})
	wantDense(t, write(t, "a.csv", []byte("a,b\n")), "", matrix{0, 0, nil})
}

func TestCSVErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", "a,b\n1,2\n3,x\n", `line 3: row 2, column 2: "x" is not a number`},
		{"a.csv", "1,2\n3,x\n", `line 2: row 2, column 2: "x"`},
		{"a.csv", "1,x\n3,4\n", `line 1: row 1, column 2: "x" is not a number (nor`},
		{"a.csv", "a,b\n1,\n", "line 2: row 1, column 2 is empty"},
		{"a.tsv", "1\t\t2\n", "row 1, column 2 is empty"},
		{"a.csv", "1,2\n3,1e999\n", `"1e999" is beyond`},
		{"a.csv", "a,b\n1,2\n\n3\n", "line 4: 1 cells, where the first row has 2"},
		{"a.csv", "1,2\n\"3,4\n", "line 2"},
		{"a.csv", "1,2\n3\"3,4\n", "line 2: column 2 of the text"},
		{"a.csv", "1;2,5\n1;3,5\n", `"1;2"`},
		{"a.csv", ",,\n1,2,3\n", "column 1 is empty"},
	} {
		wantError(t, write(t, c.name, []byte(c.text)), Options{}, ErrFormat, c.want)
	}
	wantError(t, write(t, "a.csv", []byte("\xff\xfe1\x00,\x002\x00")), Options{}, ErrUnsupported, "UTF-16")
}
