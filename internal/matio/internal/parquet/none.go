//go:build js

package parquet

import (
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/table"
)

// Available says whether this program reads Parquet files.
const Available = false

// Open returns an error that wraps ErrUnsupported.
func Open(f *input.File, _ *table.Options) error {
	return f.Foreign("a Parquet file", "the command nmu reads it, or save it as a table of text, in Python by read_parquet and to_csv of pandas")
}
