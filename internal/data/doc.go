// Package data reads what is matched to M: masks, weights, uncertainties and further matrices, whose rows
// and columns are brought into the order of M by their names, and which rows and columns of M count.
package data
