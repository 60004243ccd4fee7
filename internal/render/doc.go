// Package render writes results for readers: tables, documents and plots. It gets text and
// numbers from its callers, and does not know their meaning.
//
//	Number, Plural                   numbers as text
//	Table                            as text in columns, as Markdown, within HTML
//	Facts                            names with values, as text in two columns
//	Document                         facts and sections: as text, or as one HTML
//	                                 page that needs no other file
//	Panels                           plots as SVG
//	Profiles, Shades                 bars with intervals, a matrix as squares, as SVG
//	Ticks, Coordinate, Step          round numbers on an axis, positions and paths in SVG:
//	                                 also for the charts of package page
//	Origin                           when, where and by what it was computed
//	WriteJSON, Members, Weigh        JSON files, and what they take when they are decoded
//
//	numbers --> Table ----------> Document --> text on the terminal
//	   |          |                  ^     --> HTML page
//	   |          +--> Markdown      |
//	   +--> Panels ---------> SVG ---+
//
// A plot is a text in SVG, whose font is that of the reader. Package figure draws the images of
// a basis, as pixels.
//
// The same input gives the same bytes: nothing depends on the time, on the order of a map or on
// the fonts of the machine.
package render
