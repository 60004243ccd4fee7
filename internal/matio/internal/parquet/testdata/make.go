//go:build ignore

// Make writes the files of its folder with parquet-go: tables in Parquet, and types.csv, which is the table of all types
// as text. The module of the project knows neither this program nor what it needs:
//
//	cp go.mod /tmp/make.mod && go run -modfile /tmp/make.mod -mod mod internal/matio/internal/parquet/testdata/make.go
package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
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

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func create(name string) *os.File {
	file, err := os.Create(filepath.Join("internal/matio/internal/parquet/testdata", name))
	check(err)
	return file
}

// write writes rows in groups of 50 and small pages.
func write[T any](name string, rows []T, options ...parquet.WriterOption) {
	file := create(name + ".parquet")
	w := parquet.NewGenericWriter[T](file, append(options, parquet.MaxRowsPerRowGroup(50), parquet.PageBufferSize(256), parquet.DataPageStatistics(false))...)
	_, err := w.Write(rows)
	check(err)
	check(w.Close())
}

func main() {
	var rows []record
	lines := [][]string{{"name", "int", "small", "huge", "u", "single", "double", "flag", "maybe", "price", "wide"}}
	for i := range 123 {
		x, flag := float64(i)/7, i%3 == 0
		bit := map[bool]string{false: "0", true: "1"}[flag]
		r := record{Name: fmt.Sprintf("row %d", i), Int: int64(i)<<40 - 9, Small: int8(-i), Huge: math.MaxUint64 - uint64(i)<<20, U: math.MaxUint32 - uint32(i%5),
			Single: float32(i) / 3, Flag: flag, Price: int32(i) - 1000}
		line := []string{r.Name, fmt.Sprint(r.Int), fmt.Sprint(r.Small), fmt.Sprint(r.Huge), fmt.Sprint(r.U), strconv.FormatFloat(float64(r.Single), 'g', -1, 64), "", bit, "", fmt.Sprintf("%de-2", r.Price), fmt.Sprintf("%de-3", -i)}
		if i%4 > 0 {
			r.Double, line[6] = &x, fmt.Sprint(x)
		}
		if i%5 > 0 {
			r.Maybe, line[8] = &flag, bit
		}
		for k := range r.Wide { // -i
			r.Wide[k] = byte(int64(-i) >> min(63, 8*(15-k)))
		}
		rows, lines = append(rows, r), append(lines, line)
	}
	check(csv.NewWriter(create("types.csv")).WriteAll(lines))
	for name, codec := range map[string]compress.Codec{"none": &parquet.Uncompressed, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "zstd": &parquet.Zstd} {
		write("types-"+name+"-1", rows, parquet.DataPageVersion(1), parquet.Compression(codec))
		write("types-"+name+"-2", rows, parquet.DataPageVersion(2), parquet.Compression(codec))
	}
	write("few-1", rows[:4], parquet.DataPageVersion(1), parquet.Compression(&parquet.Uncompressed))
	write("few-2", rows[:4], parquet.DataPageVersion(2), parquet.Compression(&parquet.Zstd))
	type plain struct { // with an index of pandas behind its columns
		A     float64 `parquet:"a"`
		B     int32   `parquet:"b"`
		Index int64   `parquet:"__index_level_0__,optional"`
	}
	small := []plain{{1.5, -9, 30}, {2, 4, 20}, {0, 5, 10}}
	write("plain", small)
	for name, index := range map[string]string{"index": `"__index_level_0__"`, "range": `{"kind": "range"}`, "indexes": `"a", "b"`} {
		write(name, small, parquet.KeyValueMetadata("pandas", `{"index_columns": [`+index+`], "columns": []}`))
	}
	write("brotli", small, parquet.Compression(&parquet.Brotli))
	write("split", small, parquet.DefaultEncodingFor(parquet.Double, &parquet.ByteStreamSplit))
	type entry struct {
		Row    string `parquet:"row"`
		Column string `parquet:"column"`
		Value  int64  `parquet:"value"`
	}
	write("triples", []entry{{"u", "x", 2}, {"v", "y", 3}, {"u", "y", 4}})
	type nested struct {
		Label string                 `parquet:"label"`
		In    struct{ X, Y float64 } `parquet:"in"`
		List  []int64                `parquet:"list"`
		Day   int32                  `parquet:"day,date"`
		At    int64                  `parquet:"at,timestamp(microsecond)"`
		Y     float64                `parquet:"y"`
	}
	write("several", []nested{{Label: "a", Day: -1, At: -1500000, Y: 3}, {Label: "b", Y: 4}})
}
