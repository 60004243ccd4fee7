//go:build !js

package parquet_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// file returns the path of a file of testdata/make.go.
func file(name string) string { return filepath.Join("testdata", name+".parquet") }

// TestTypes: the numbers of every type are read, in both versions of pages and in every compression, and text names rows.
// They are those of the same table as text.
func TestTypes(t *testing.T) {
	opt := matio.Options{Table: matio.Table{Missing: matio.Allow}}
	text := matiotest.Open(t, filepath.Join("testdata", "types.csv"), opt)
	_, _, want := must.Three(matio.Dense[float64](text))(t)
	for _, page := range []string{"1", "2"} {
		for _, codec := range []string{"none", "snappy", "gzip", "zstd"} {
			path := file("types-" + codec + "-" + page)
			matiotest.WantError(t, path, matio.Options{}, matio.ErrMissing, `.parquet: row 1, column 7 ("double") is empty`)
			f := matiotest.Open(t, path, opt)
			m, n, data := must.Three(matio.Dense[float64](f))(t, path)
			if m != 123 || n != 10 || fmt.Sprint(data) != fmt.Sprint(want) {
				t.Errorf("%s: %d x %d, %v, want %v", path, m, n, data, want)
			}
			must.EqualSlices(t, f.RowNames(), text.RowNames(), path)
			must.Equal(t, strings.Join(f.ColNames(), " "), "int small huge u single double flag maybe price wide", path)
			ending := opt
			ending.Context = matiotest.Countdown(20)
			matiotest.CheckError(t, matiotest.ReadAll(path, ending), context.Canceled, "")
		}
	}
}

// TestOptions: a table in a Parquet file takes the options of one in text.
func TestOptions(t *testing.T) {
	skip := func(words ...string) matio.Options { return matio.Options{Table: matio.Table{Skip: words}} }
	for _, c := range []struct {
		name       string
		opt        matio.Options
		rows, cols string // names
		data       string
	}{
		{"plain", matio.Options{}, "", "a b __index_level_0__", "[1.5 -9 30 2 4 20 0 5 10]"},
		{"index", matio.Options{}, "30 20 10", "a b", "[1.5 -9 2 4 0 5]"},
		{"range", skip("b", "3"), "", "a", "[1.5 2 0]"},
		{"index", matio.Options{Table: matio.Table{RowLabels: matio.Absent}}, "", "__index_level_0__ a b", "[30 1.5 -9 20 2 4 10 0 5]"},
		{"indexes", matio.Options{Codes: []float64{-9}, Transpose: true, Table: matio.Table{Missing: matio.Allow}}, "a b __index_level_0__", "", "[1.5 2 0 NaN 4 5 30 20 10]"},
		{"triples", matio.Options{}, "u v", "x y", "[2 4 0 3]"},
		{"several", skip("in", "3", "day", "at"), "a b", "y", "[3 4]"},
	} {
		f := matiotest.Open(t, file(c.name), c.opt)
		_, _, data, err := matio.Dense[float64](f)
		if fmt.Sprint(data) != c.data || err != nil || strings.Join(f.RowNames(), " ") != c.rows || strings.Join(f.ColNames(), " ") != c.cols {
			t.Errorf("%v: %v, %v, names %q, %q, want %s, %s, %s", c.opt, data, err, f.RowNames(), f.ColNames(), c.data, c.rows, c.cols)
		}
	}
	for _, c := range []struct {
		name, says string
		opt        matio.Options
		is         error
	}{
		{"several", `column 2, "in", is nested`, skip("list"), matio.ErrUnsupported},
		{"several", `column 3, "list", is nested, or holds neither numbers nor text: --skip-columns list`, skip("in"), matio.ErrUnsupported},
		{"several", `row 1, column 4 ("day") is "1969-12-31"`, skip("in", "list"), matio.ErrText},
		{"several", `row 1, column 5 ("at") is "1969-12-31 23:59:58.5"`, skip("in", "list", "day"), matio.ErrText},
		{"brotli", `column "a" has the compression BROTLI; write the file with zstd`, matio.Options{}, matio.ErrUnsupported},
		{"split", "the encoding BYTE_STREAM_SPLIT of DOUBLE, which", matio.Options{}, matio.ErrUnsupported},
		{"plain", "leave the variable out", matio.Options{Var: "a"}, matio.ErrVar},
	} {
		matiotest.WantError(t, file(c.name), c.opt, c.is, c.says)
	}
}

// TestDamaged: a file that is cut short or altered is an error that names it, or a matrix, within the limit of memory.
func TestDamaged(t *testing.T) {
	opt := matio.Options{MaxMemory: 64 << 20, Table: matio.Table{Missing: matio.Zero}}
	for _, footer := range []string{strings.Repeat("\x1c", 1<<22), "\x29\xfc\xff\xff\xff\xff\x07", "\x19" + strings.Repeat("\x19", 1<<22)} { // structures, or lists, in each other; a long list
		file := append(binary.LittleEndian.AppendUint32([]byte("PAR1"+footer), uint32(len(footer))), "PAR1"...)
		matiotest.WantError(t, matiotest.Write(t, "a.parquet", file), opt, matio.ErrFormat, "lists or structures without end")
	}
	for _, name := range []string{"few-1", "few-2"} {
		whole := must.Get(os.ReadFile(file(name)))(t)
		path := matiotest.Write(t, "a.parquet", whole)
		read := func(b []byte) error {
			must.Do(t, os.WriteFile(path, b, 0o666))
			return matiotest.ReadAll(path, opt)
		}
		for at := range whole {
			for _, x := range []byte{1 << (at % 8), 0xff} {
				whole[at] ^= x
				if err := read(whole); err != nil && !strings.Contains(err.Error(), path) {
					t.Fatalf("%s, byte %d: error %v", name, at, err)
				}
				whole[at] ^= x
			}
			if at%64 == 0 && read(whole[:at]) == nil {
				t.Fatalf("a file of %d bytes is read from %d", len(whole), at)
			}
		}
	}
}
