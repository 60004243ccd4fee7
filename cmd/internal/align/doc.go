// Package align compares the names that the rows or columns of two matrices have, and brings
// one matrix into the order of the other.
package align
