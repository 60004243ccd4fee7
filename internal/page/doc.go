// Package page writes what a factorization found as one page of HTML for people:
// a file that needs no network, no framework and, but for the controls, no script.
//
//	M, V, W --Look--> Distance --+
//	                             |   Write    page.gohtml + page.css + page.js
//	result.json -------> Run ----+----------> one file
//
// Write makes the sections of the page one after the other, each in a file of its own
// with the template of the same name (see sections). What a column of V looks like,
// and a row of W, decides shape.go: a picture where the size of one is known, a curve
// where the rows have numbers for names or none, else bars of the largest by name.
//
// The page holds samples of what is large, and says so: its size depends on the rank
// and on the bounds in sample.go alone, and stays below 5 MB. M is looked at once, by
// Look, and need not be kept.
package page
