// Package flags has what the flags of several commands share: the words that a flag knows,
// which a shell completes and a slip of which is noticed; numbers such as --threads; sizes
// such as --max-memory; and the flags for a matrix that stays on disk, --memory and
// --scratch.
package flags
