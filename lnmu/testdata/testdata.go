// Package testdata holds what the results of package lnmu are compared with, for
// programs that compare them without the source.
package testdata

import _ "embed" // for Golden

// Golden is golden.json, the recorded hashes; package golden reads it.
//
//go:embed golden.json
var Golden []byte
