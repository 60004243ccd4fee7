package table_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// TestIdentifiers: numbers that identify the rows are their labels, if the name of their column ends with
// id, or if they are far larger than all others.
func TestIdentifiers(t *testing.T) {
	const (
		byName = "(column 1, "
		taken  = "holds different numbers, more than 10 times larger than all others: --row-labels no makes it data"
	)
	large := []string{"7157", "672", "100287102", "207"}
	small := []string{"7", "3", "9", "5"}
	for _, c := range []struct {
		name    string
		numbers []string
		note    string
	}{
		{"GeneID", large, byName}, {"PassengerId", small, byName}, {"SampleID", small, byName}, {"passenger_id", small, byName},
		{"Gene ID", large, byName}, {"gene.id", large, byName}, {"id", small, byName},
		{"CUSTOMERID", large, taken}, {"No.", large, taken}, {"Entrez", large, taken}, {"area", large, taken},
		{"No.", small, ""}, {"area", small, ""}, {"Covid", small, ""}, {"ACID", small, ""}, {"fluid", small, ""},
		{"No.", []string{"7157", "672", "672", "207"}, ""}, {"No.", []string{"7157", "672.5", "900", "-207"}, ""},
		{"No.", []string{"41", "43", "42", "47"}, taken}, {"No.", []string{"40", "43", "42", "47"}, ""}, // the largest other is 4
	} {
		text := c.name + ",a,b\n"
		want := matiotest.New(4, 2, []float64{1, 2, 3, 1, 2, 2, 0, 4})
		labels := c.note == byName || c.note == taken
		if !labels {
			want = matiotest.New(4, 3, nil)
		}
		for i, number := range c.numbers {
			row := []string{number, []string{"1", "3", "2", "0"}[i], []string{"2", "1", "2", "4"}[i]}
			text += strings.Join(row, ",") + "\n"
			if !labels {
				for _, cell := range row {
					var x float64
					fmt.Sscan(cell, &x)
					want.Data = append(want.Data, x)
				}
			}
		}
		path := matiotest.Write(t, "a.csv", []byte(text))
		f := matiotest.Open(t, path, matio.Options{})
		if labels && !slices.Equal(f.RowNames(), c.numbers) || !labels && f.RowNames() != nil {
			t.Errorf("%s: names %q", c.name, f.RowNames())
		}
		notes := f.Reading()
		if !strings.Contains(notes, c.note) || c.note == "" && strings.Contains(notes, "(column 1") {
			t.Errorf("%s: notes %q, want %q", c.name, notes, c.note)
		}
		matiotest.WantDense(t, path, "", want)
	}
}

// TestNumericNames: numbers in no order that may name the columns are a question, as increasing
// ones are.
func TestNumericNames(t *testing.T) {
	for _, c := range []struct {
		text  string
		doubt bool
	}{
		{"gene,5023,1187,9931\nTP53,10,3,9\nBRCA1,1,3,3\n", true},
		{"gene,17,4,9\nTP53,10,3,9\nBRCA1,1,3,3\n", true},
		{"Sample,17,4,9\nx,10,3,9\ny,1,3,3\n", true},
		{"5023,1187,9931\n10,3,9\n1,3,3\n", true},
		{"depth,30,10,20\nx,0.5,1,2\ny,0.25,3.5,1\n", true},
		{"depth,30,10,20\nx,5,1,2\ny,25,35,1\n", false},   // a row like the others
		{"TP53,5023,1187,9931\nBRCA1,10,3,9\n", true},     // far larger
		{"130,101,150\n10,3,9\n1,3,3\n", true},            // just so
		{"130,100,150\n10,3,9\n1,3,3\n", false},           // just not
		{"101,102,150\n10,3,9\n1,3,3\n", true},            // just so, in order
		{"100,102,150\n10,3,9\n1,3,3\n", false},           // just not
		{"s1,5023,1187,9931\ns2,10,3,9\n", false},         // labels of one kind
		{"gene,50,11,50\nTP53,10,3,9\n", false},           // not distinct
		{"gene,50.5,11,99\nTP53,10,3,9\n", false},         // not whole
		{"300,100,200\n10,300,9\n1,3,3\n", false},         // not larger
		{"a,b,c\n5023,1187,9931\n10,3,9\n1,3,3\n", false}, // has a header
	} {
		path := matiotest.Write(t, "a.csv", []byte(c.text))
		if c.doubt {
			matiotest.WantError(t, path, matio.Options{}, matio.ErrHeader, "may be column names or data")
		} else if err := matiotest.ReadAll(path, matio.Options{}); err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
		f := matiotest.Open(t, path, matio.Options{Table: matio.Table{Header: matio.Present}})
		must.Equal(t, len(f.ColNames()), 3, c.text, "names", f.ColNames())
	}
}

// TestNotesOfSpilledTables: a table says the same whether its numbers are held in memory or in
// files, where it keeps no names.
func TestNotesOfSpilledTables(t *testing.T) {
	for _, text := range []string{
		"s1,400,410\ns2,0.5,1\n", "No.,a\n7157,1\n672,2\n900,3\n", ",a\nx,1\ny,2\n", "i,a\n1,5\n2,4\n3,7\n",
		"nm,a\n400,1\n410,2\n420,1\n430,3\n440,1\n450,1\n460.5,2\n470,1\n",
	} {
		path := matiotest.Write(t, "a.csv", []byte(text))
		held := matiotest.Open(t, path, matio.Options{})
		spilled := matiotest.Open(t, path, matio.Options{Spill: &matio.Spill{Context: context.Background()}})
		want := regexp.MustCompile(`rows "[^ ]*" to "[^ ]*" \(([^)]*)\)`).ReplaceAllString(held.Reading(), "rows named by $1")
		if !strings.Contains(want, "column 1") || want != spilled.Reading() {
			t.Errorf("%q: %q in memory, %q in files", text, held.Reading(), spilled.Reading())
		}
	}
}
