package matio

import "nmu/internal/matio/internal/input"

// Input returns what f reads.
func (f *File) Input() *input.File { return f.in }

// Mapping returns the mapping of the file.
func (f *File) Mapping() []byte { return f.mapping }

// MapFile is mapFile.
var MapFile = mapFile
