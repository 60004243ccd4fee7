//go:build !js

package parquet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// record is a row with columns of all types that are read, of which the first is text.
type record struct {
	Name   string   `parquet:"name"`
	Int    int64    `parquet:"int,delta"`
	Small  int8     `parquet:"small,delta"`
	Huge   uint64   `parquet:"huge"`
	U      uint32   `parquet:"u,dict"`
	Single float32  `parquet:"single"`
	Double *float64 `parquet:"double,optional,dict"`
	Flag   bool     `parquet:"flag"`
	Maybe  *bool    `parquet:"maybe,optional"`
	Price  int32    `parquet:"price,decimal(2:9)"`
	Wide   [16]byte `parquet:"wide,decimal(3:38)"`
}

// records returns n rows, and the numbers of their columns row by row; NaN is a missing one.
func records(n int) (rows []record, names []string, m matiotest.Matrix) {
	m = matiotest.New(n, 10, nil)
	for i := range n {
		x, flag := float64(i)/7, i%3 == 0
		r := record{Name: fmt.Sprintf("row %d", i), Int: int64(i)<<40 - 9, Small: int8(-i), Huge: math.MaxUint64 - uint64(i)<<20, U: math.MaxUint32 - uint32(i%5),
			Single: float32(i) / 3, Flag: flag, Price: int32(i) - 1000}
		want := []float64{float64(r.Int), float64(r.Small), float64(r.Huge), float64(r.U), float64(r.Single), math.NaN(), 0, math.NaN(), float64(i-1000) / 100, float64(-i) / 1000}
		if flag {
			want[6] = 1
		}
		if i%4 > 0 {
			r.Double, want[5] = &x, x
		}
		if i%5 > 0 {
			r.Maybe, want[7] = &flag, want[6]
		}
		for k := range r.Wide { // -i
			r.Wide[k] = byte(int64(-i) >> min(63, 8*(15-k)))
		}
		rows, names, m.Data = append(rows, r), append(names, r.Name), append(m.Data, want...)
	}
	return rows, names, m
}

// write writes rows to a file, in groups of 50 rows and small pages.
func write[T any](t testing.TB, rows []T, options ...parquet.WriterOption) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, append(options, parquet.MaxRowsPerRowGroup(50), parquet.PageBufferSize(256))...)
	must.Get(w.Write(rows))(t)
	must.Do(t, w.Close())
	return matiotest.Write(t, "a.parquet", b.Bytes())
}

// TestTypes: the numbers of every type are read, in both versions of pages and in every compression, and text names rows.
func TestTypes(t *testing.T) {
	rows, names, want := records(123)
	for _, version := range []int{1, 2} {
		for _, codec := range []parquet.WriterOption{parquet.Compression(&parquet.Uncompressed), parquet.Compression(&parquet.Snappy), parquet.Compression(&parquet.Gzip), parquet.Compression(&parquet.Zstd)} {
			path := write(t, rows, parquet.DataPageVersion(version), codec)
			matiotest.WantError(t, path, matio.Options{}, matio.ErrMissing, `a.parquet: row 1, column 7 ("double") is empty`)
			opt := matio.Options{Table: matio.Table{Missing: matio.Allow}}
			f := matiotest.Open(t, path, opt)
			m, n, data, err := matio.Dense[float64](f)
			if err != nil || m != 123 || n != 10 || !slices.EqualFunc(data, want.Data, func(a, b float64) bool { return a == b || a != a && b != b }) {
				t.Fatalf("version %d: %d x %d, %v, %v\nwant %v", version, m, n, data, err, want.Data)
			}
			opt.Context = &ending{context.Background(), 20}
			matiotest.CheckError(t, matiotest.ReadAll(path, opt), context.Canceled, "")
			if !slices.Equal(f.RowNames(), names) || strings.Join(f.ColNames(), " ") != "int small huge u single double flag maybe price wide" {
				t.Errorf("names %q, %q", f.RowNames(), f.ColNames())
			}
		}
	}
}

// ending is a context that ends after so many looks at it.
type ending struct {
	context.Context
	left int
}

func (c *ending) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// plain is a row of a table that has an index of pandas behind its columns.
type plain struct {
	A     float64 `parquet:"a"`
	B     int32   `parquet:"b"`
	Index int64   `parquet:"__index_level_0__,optional"`
}

// TestOptions: a table in a Parquet file takes the options of one in text.
func TestOptions(t *testing.T) {
	rows := []plain{{1.5, -9, 30}, {2, 4, 20}, {0, 5, 10}}
	pandas := func(index string) parquet.WriterOption {
		return parquet.KeyValueMetadata("pandas", `{"index_columns": [`+index+`], "columns": []}`)
	}
	type entry struct {
		Row    string `parquet:"row"`
		Column string `parquet:"column"`
		Value  int64  `parquet:"value"`
	}
	type nested struct {
		Label string                 `parquet:"label"`
		In    struct{ X, Y float64 } `parquet:"in"`
		List  []int64                `parquet:"list"`
		Day   int32                  `parquet:"day,date"`
		At    int64                  `parquet:"at,timestamp(microsecond)"`
		Y     float64                `parquet:"y"`
	}
	several := []nested{{Label: "a", Day: -1, At: -1500000, Y: 3}, {Label: "b", Y: 4}}
	skip := func(words ...string) matio.Options { return matio.Options{Table: matio.Table{Skip: words}} }
	for _, c := range []struct {
		path       string
		opt        matio.Options
		rows, cols string // names
		data       string
	}{
		{write(t, rows), matio.Options{}, "", "a b __index_level_0__", "[1.5 -9 30 2 4 20 0 5 10]"},
		{write(t, rows, pandas(`"__index_level_0__"`)), matio.Options{}, "30 20 10", "a b", "[1.5 -9 2 4 0 5]"},
		{write(t, rows, pandas(`{"kind": "range"}`)), skip("b", "3"), "", "a", "[1.5 2 0]"},
		{write(t, rows, pandas(`"__index_level_0__"`)), matio.Options{Table: matio.Table{RowLabels: matio.Absent}}, "", "__index_level_0__ a b", "[30 1.5 -9 20 2 4 10 0 5]"},
		{write(t, rows, pandas(`"a", "b"`)), matio.Options{Codes: []float64{-9}, Transpose: true, Table: matio.Table{Missing: matio.Allow}}, "a b __index_level_0__", "", "[1.5 2 0 NaN 4 5 30 20 10]"},
		{write(t, []entry{{"u", "x", 2}, {"v", "y", 3}, {"u", "y", 4}}), matio.Options{}, "u v", "x y", "[2 4 0 3]"},
		{write(t, several), skip("in", "3", "day", "at"), "a b", "y", "[3 4]"},
	} {
		f := matiotest.Open(t, c.path, c.opt)
		_, _, data, err := matio.Dense[float64](f)
		if fmt.Sprint(data) != c.data || err != nil || strings.Join(f.RowNames(), " ") != c.rows || strings.Join(f.ColNames(), " ") != c.cols {
			t.Errorf("%v: %v, %v, names %q, %q, want %s, %s, %s", c.opt, data, err, f.RowNames(), f.ColNames(), c.data, c.rows, c.cols)
		}
	}
	for _, c := range []struct {
		path, says string
		opt        matio.Options
		is         error
	}{
		{write(t, several), `column 2, "in", is nested`, skip("list"), matio.ErrUnsupported},
		{write(t, several), `column 3, "list", is nested, or holds neither numbers nor text: --skip-columns list`, skip("in"), matio.ErrUnsupported},
		{write(t, several), `row 1, column 4 ("day") is "1969-12-31"`, skip("in", "list"), matio.ErrText},
		{write(t, several), `row 1, column 5 ("at") is "1969-12-31 23:59:58.5"`, skip("in", "list", "day"), matio.ErrText},
		{write(t, rows, parquet.Compression(&parquet.Brotli)), `column "a" has the compression BROTLI; write the file with zstd`, matio.Options{}, matio.ErrUnsupported},
		{write(t, rows, parquet.DefaultEncodingFor(parquet.Double, &parquet.ByteStreamSplit)), "the encoding BYTE_STREAM_SPLIT of DOUBLE, which", matio.Options{}, matio.ErrUnsupported},
		{write(t, rows), "leave the variable out", matio.Options{Var: "a"}, matio.ErrVar},
	} {
		matiotest.WantError(t, c.path, c.opt, c.is, c.says)
	}
}

// TestDamaged: a file that is cut short or altered is an error that names it, or a matrix, within the limit of memory.
func TestDamaged(t *testing.T) {
	rows, _, _ := records(60)
	opt := matio.Options{MaxMemory: 64 << 20, Table: matio.Table{Missing: matio.Zero}}
	for _, footer := range []string{strings.Repeat("\x1c", 1<<22), "\x29\xfc\xff\xff\xff\xff\x07", "\x19" + strings.Repeat("\x19", 1<<22)} { // structures, or lists, in each other; a long list
		file := append(binary.LittleEndian.AppendUint32([]byte("PAR1"+footer), uint32(len(footer))), "PAR1"...)
		matiotest.WantError(t, matiotest.Write(t, "a.parquet", file), opt, matio.ErrFormat, "lists or structures without end")
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, codec := range []parquet.WriterOption{parquet.Compression(&parquet.Uncompressed), parquet.Compression(&parquet.Zstd)} {
		path := write(t, rows, codec)
		whole := must.Get(os.ReadFile(path))(t)
		footer := len(whole) - 8 - int(uint32(whole[len(whole)-8])|uint32(whole[len(whole)-7])<<8)
		for k := range 400 {
			b, from := bytes.Clone(whole), 0
			if k%2 == 0 {
				from = footer
			}
			for range 1 + rnd.IntN(3) {
				b[from+rnd.IntN(len(b)-from)] ^= byte(1 + rnd.IntN(255))
			}
			if k%10 == 0 {
				b = b[:rnd.IntN(len(b))]
			}
			must.Do(t, os.WriteFile(path, b, 0o666))
			if err := matiotest.ReadAll(path, opt); err != nil && !strings.Contains(err.Error(), path) {
				t.Fatalf("alteration %d: error %v", k, err)
			} else if err == nil && k%10 == 0 {
				t.Fatalf("a file of %d bytes is read from %d", len(whole), len(b))
			}
		}
	}
}
