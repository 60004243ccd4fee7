// Package store holds the numbers that a text file lists: in memory, or in a temporary file where
// they need not fit there.
package store
