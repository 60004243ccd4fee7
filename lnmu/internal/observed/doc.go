// Package observed says which entries of a matrix M count, and how much: those that are
// observed, with their weights.
//
//	Entries     the mask and the weights as a caller gives them, of M or of a part of it
//	Cells       the same for the lines of a pass
//	  Line      what the Gram matrix of a line depends on
//	  Columns   the lines of the shorter side, of which several processes have parts
//	Means       numbers for missing entries, where something must stand in their places
//
// It knows neither the passes nor where M is stored.
package observed
