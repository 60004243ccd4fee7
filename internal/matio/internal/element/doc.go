// Package element knows the types that numbers have in files and in memory, and sizes that do
// not overflow.
package element
