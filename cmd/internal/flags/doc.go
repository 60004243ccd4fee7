// Package flags holds the code that the flags of several commands share: fixed words, numbers
// such as --threads, and sizes such as --max-memory. A shell completes the words, and the error
// for a misspelt word suggests the right one. The package also has --memory and --scratch, for
// a matrix that stays on disk, and what begins a command: the checks of its arguments, and its
// precision.
package flags
