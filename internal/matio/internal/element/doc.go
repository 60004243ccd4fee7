// Package element has the types of numbers in files and in memory, and arithmetic on sizes that
// does not overflow.
package element
