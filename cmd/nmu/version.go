package main

import "nmu/internal/release"

// version returns the version of the program.
var version = release.Version
