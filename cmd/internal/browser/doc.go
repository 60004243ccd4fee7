// Package browser opens pages in Chromium, for tests. What drives a browser takes as long to compile as a tenth of
// the project, so the tag browser keeps it out of `go test ./...`.
package browser
