// Package page writes the result of a factorization as one HTML page for people. The page needs
// no network and no framework, and a script only for its controls.
//
//	M, V, W --Look--> Distance --+
//	                             |   Write    page.gohtml + page.css + page.js
//	result.json -------> Run ----+----------> one file
//
// Write makes the sections of the page one after the other (see sections). Each has its own
// file and a template of the same name. shape.go decides how a column of V or a row of W is
// drawn: as a picture if its size is known, as a curve if the rows have numbers for names or
// are many without names, else as bars of the largest entries.
//
// The page holds samples of large data, and says so. Its size depends only on the rank and on
// the bounds in sample.go, and stays below 5 MB. Look reads M once, and M need not be kept.
package page
