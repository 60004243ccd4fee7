//go:build !js

package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"

	"nmu/internal/matio/internal/input"
)

// column is a column while its values are read.
type column struct {
	f        *input.File
	name     string
	leaf     int // its number among the columns without columns
	kind     format.Type
	width    int                 // bytes of a value; 0: they differ
	optional bool                // values may be missing
	text     func([]byte) string // makes a value a cell; nil: the column is skipped

	codec      format.CompressionCodec
	at, end    int64 // the bytes of the file with pages that are left
	dictionary values
	held       [2]int64 // bytes of memory reserved for the page and for the dictionary

	page   values
	n, i   int     // values of the page, missing ones included; the next one
	there  []int32 // which values are not missing: 1; nil if all are
	k      int     // the next one that is not missing
	index  []int32 // the places of these values in page; nil if they follow one another
	window []byte  // of all columns, for the header of a page
}

const longest = 1 << 16 // header of a page

// values are values of width bytes in one piece, or values of any length.
type values struct {
	bytes []byte
	width int
	list  [][]byte
}

// of returns value k, or nil.
func (v *values) of(k int) []byte {
	switch {
	case k < 0:
	case v.width > 0 && (k+1)*v.width <= len(v.bytes):
		return v.bytes[k*v.width:][:v.width]
	case v.width == 0 && k < len(v.list):
		return v.list[k]
	}
	return nil
}

// begin goes to the values of a group of rows.
func (c *column) begin(chunk *format.ColumnChunk) error {
	m := &chunk.MetaData
	if c.at = m.DataPageOffset; m.DictionaryPageOffset > 0 {
		c.at = min(c.at, m.DictionaryPageOffset)
	}
	c.codec, c.end, c.dictionary, c.n, c.i = m.Codec, c.at+m.TotalCompressedSize, values{}, 0, 0
	switch {
	case chunk.CryptoMetadata.Value != nil, chunk.FilePath != "":
		return c.f.Unsupported("column %.40q is encrypted or in another file", c.name)
	case m.Type != c.kind, c.at < 4, c.end < c.at, c.end > c.f.Size:
		return c.f.Bad(0, "column %.40q is said to be of type %v in bytes %d to %d", c.name, m.Type, c.at, c.end)
	}
	return nil
}

// next returns the next value as a cell, "" if it is missing.
func (c *column) next() (string, error) {
	for c.i == c.n {
		if err := c.read(); err != nil {
			return "", err
		}
	}
	c.i++
	if c.there != nil && c.there[c.i-1] == 0 {
		return "", nil
	}
	k := c.k
	if c.k++; c.index != nil {
		k = int(c.index[k])
	}
	b := c.page.of(k)
	if b == nil {
		return "", c.f.Bad(c.at, "the page of column %.40q before it lacks value %d of %d", c.name, c.i, c.n)
	}
	return c.text(b), nil
}

// hold reserves memory in place of what was reserved before, for the page (0) or for the dictionary (1).
func (c *column) hold(what int, n int64) (err error) {
	c.f.Used -= c.held[what]
	c.held[what] = 0
	if err = c.f.Reserve(n, input.Reading); err == nil {
		c.held[what] = n
	}
	return err
}

// read reads a page.
func (c *column) read() error {
	head := c.window[:min(longest, c.end-c.at)]
	if _, err := c.f.ReadAt(head, c.at); err != nil {
		return c.f.ReadError(c.at, err)
	}
	h, length, err := decode[format.PageHeader](c.f, c.at, head)
	if err != nil {
		return err
	}
	begin, size, full := c.at+int64(length), int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	v1, v2, what := &h.DataPageHeader.V, &h.DataPageHeaderV2.V, 0
	n := v1.NumValues + v2.NumValues // of which one is there
	if h.Type == format.DictionaryPage {
		n, what = h.DictionaryPageHeader.V.NumValues, 1
	}
	if n < 0 || full < 0 || size < 0 || size > c.end-begin {
		return c.f.Bad(c.at, "a page of column %.40q is said to have %d values in %d bytes, %d inflated, where %d are left", c.name, n, size, full, c.end-begin)
	}
	c.at = begin + size
	const each = 32 // bytes of memory of a value beside those of the page
	if err := c.hold(what, size+2*full+each*int64(n)); err != nil {
		return err
	}
	b := make([]byte, size)
	if _, err := c.f.ReadAt(b, begin); err != nil {
		return c.f.ReadError(begin, err)
	}
	switch h.Type {
	case format.DictionaryPage:
		if b, err = inflate(c.codec, b, full); err == nil {
			c.dictionary, err = c.plain(b, int(n))
		}
	case format.DataPage:
		var levels []byte
		if b, err = inflate(c.codec, b, full); err == nil && c.optional {
			levels, b, err = prefixed(b)
		}
		if err == nil && c.optional && v1.DefinitionLevelEncoding != format.RLE {
			err = fmt.Errorf("levels in the encoding %v: %w", v1.DefinitionLevelEncoding, input.ErrUnsupported)
		}
		if err == nil {
			err = c.decode(v1.Encoding, levels, b, int(n))
		}
	case format.DataPageV2:
		first, levels := int64(v2.RepetitionLevelsByteLength), int64(v2.DefinitionLevelsByteLength)
		before := first + levels // the values, never deflated
		if first < 0 || levels < 0 || before > min(size, full) {
			err = io.ErrUnexpectedEOF
			break
		}
		values := b[before:]
		if !v2.IsCompressed.Valid || v2.IsCompressed.V {
			values, err = inflate(c.codec, values, full-before)
		}
		if err == nil {
			err = c.decode(v2.Encoding, b[first:before], values, int(n))
		}
	}
	switch {
	case errors.Is(err, input.ErrUnsupported):
		return fmt.Errorf("%s: column %.40q has %w", c.f.Path, c.name, err)
	case err != nil:
		return c.f.Bad(begin, "a page of column %.40q: %v", c.name, err)
	}
	return nil
}

// decode takes n values, missing ones included, from their levels and the bytes of those that are there.
func (c *column) decode(encoding format.Encoding, levels, b []byte, n int) (err error) {
	defer func() {
		if p := recover(); p != nil { // of the library
			err = fmt.Errorf("it is damaged: %v", p)
		}
	}()
	c.n, c.i, c.k, c.there, c.index = n, 0, 0, nil, nil
	if c.optional {
		if c.there, err = numbers(levels, 1, n); err != nil {
			return err
		}
		n = 0
		for _, x := range c.there {
			n += int(x)
		}
	}
	c.page = values{width: c.width}
	switch {
	case n == 0:
	case encoding == format.RLEDictionary, encoding == format.PlainDictionary: //lint:ignore SA1019 older programs write it
		if c.page = c.dictionary; len(b) == 0 {
			return io.ErrUnexpectedEOF
		}
		c.index, err = numbers(b[1:], int(b[0]), n)
	case c.kind == format.Boolean && (encoding == format.RLE || encoding == format.Plain):
		c.page = values{bytes: []byte{0, 1}, width: 1}
		if encoding == format.Plain { // one run of bits
			b = append(binary.AppendUvarint(nil, uint64(n+7)/8<<1|1), b...)
		} else {
			b, _, err = prefixed(b)
		}
		if err == nil {
			c.index, err = numbers(b, 1, n)
		}
	case encoding == format.Plain:
		c.page, err = c.plain(b, n)
	case deltas(b) == uint64(n) && encoding == format.DeltaLengthByteArray && c.kind == format.ByteArray:
		var ends []uint32
		if b, ends, err = new(delta.LengthByteArrayEncoding).DecodeByteArray(nil, b, nil); err == nil {
			c.page = values{list: make([][]byte, n)}
			for i := range c.page.list {
				c.page.list[i] = b[ends[i]:ends[i+1]]
			}
		}
	case deltas(b) == uint64(n) && encoding == format.DeltaBinaryPacked && c.kind == format.Int32:
		x, e := new(delta.BinaryPackedEncoding).DecodeInt32(nil, b)
		c.page.bytes, _ = binary.Append(nil, binary.LittleEndian, x)
		err = e
	case deltas(b) == uint64(n) && encoding == format.DeltaBinaryPacked && c.kind == format.Int64:
		x, e := new(delta.BinaryPackedEncoding).DecodeInt64(nil, b)
		c.page.bytes, _ = binary.Append(nil, binary.LittleEndian, x)
		err = e
	default:
		err = fmt.Errorf("the encoding %v of %v, which pandas, polars and Arrow do not write by default: %w", encoding, c.kind, input.ErrUnsupported)
	}
	return err
}

// deltas returns the third number of a page, which in delta encodings is that of its values.
func deltas(b []byte) (n uint64) {
	for range 3 {
		x, k := binary.Uvarint(b)
		n, b = x, b[max(0, k):]
	}
	return n
}

// plain returns n values in the encoding PLAIN.
func (c *column) plain(b []byte, n int) (v values, err error) {
	if v.width = c.width; v.width > 0 {
		v.bytes = b
		return v, nil
	}
	v.list = make([][]byte, n)
	for i := range v.list {
		if v.list[i], b, err = prefixed(b); err != nil {
			break
		}
	}
	return v, err
}

// prefixed returns the bytes whose number four bytes give, and those behind.
func prefixed(b []byte) (first, rest []byte, err error) {
	if len(b) < 4 || int64(binary.LittleEndian.Uint32(b)) > int64(len(b)-4) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	end := 4 + int(binary.LittleEndian.Uint32(b))
	return b[4:end], b[end:], nil
}

// numbers reads n numbers of width bits: runs of one number, and numbers packed in bits, eight by eight.
func numbers(b []byte, width, n int) ([]int32, error) {
	x := make([]int32, 0, n)
	for len(x) < n {
		head, k := binary.Uvarint(b)
		run, packed := int(min(head>>1, uint64(n))), head&1 == 1 // of numbers, or of eight packed ones
		bits, most := width, run
		if packed {
			most = min(8*run, n-len(x))
			bits = most * width
		}
		if k <= 0 || width > 32 || (bits+7)/8 > len(b)-k {
			return nil, io.ErrUnexpectedEOF
		}
		b = b[k:]
		for i := range min(most, n-len(x)) {
			at := 0
			if packed {
				at = i * width
			}
			var word [8]byte
			copy(word[:], b[at/8:])
			x = append(x, int32(binary.LittleEndian.Uint64(word[:])>>(at%8)&(1<<width-1)))
		}
		if packed {
			bits = min(8*run*width, 8*len(b))
		}
		b = b[(bits+7)/8:]
	}
	return x, nil
}

// inflate returns the n bytes that b stands for. It makes no more, or no more than a window.
func inflate(codec format.CompressionCodec, b []byte, n int64) (full []byte, err error) {
	switch codec {
	case format.Uncompressed:
		return b, nil
	case format.Snappy:
		if m, err := snappy.DecodedLen(b); err != nil || int64(m) != n {
			return nil, io.ErrUnexpectedEOF
		}
		return snappy.Decode(nil, b)
	case format.Gzip:
		full = make([]byte, n)
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err == nil {
			_, err = io.ReadFull(z, full)
		}
		return full, err
	case format.Zstd:
		const window = 1 << 23 // of many small pages, too
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(window, n))))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		if full, err = z.DecodeAll(b, make([]byte, 0, n)); err == nil && int64(len(full)) != n {
			err = io.ErrUnexpectedEOF
		}
		return full, err
	}
	return nil, fmt.Errorf("the compression %v; write the file with zstd, snappy, gzip or none: %w", codec, input.ErrUnsupported)
}
