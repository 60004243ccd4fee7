// Package progress shows on stderr how far a command is: as a status line on a terminal, or
// as lines of JSON with --progress json.
package progress
