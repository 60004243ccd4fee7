// Package store holds the numbers of a text file, in memory or in a temporary file.
package store
