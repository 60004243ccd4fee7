// Package agreement compares the factors of several runs: it matches their parts, and measures
// how far the runs agree about parts and about the classes of columns.
//
//	V of two runs --> Directions --> Cosines --> Assign --> Likeness
//	W of all runs --> Classes --> Separation --> Cophenetic, Dispersion
package agreement
