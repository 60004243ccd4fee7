// Package render writes what was computed for readers: tables, documents and
// plots. It knows nothing of what the numbers mean; packages bench and paper say
// that, and hand over text and numbers.
//
//	Number, Percent, Plural, Bytes   numbers as text
//	Table                            as text in columns, as Markdown, within HTML
//	Document                         facts and sections: as text, or as one HTML
//	                                 page that needs no other file
//	Bars, Lines, Curves, Panels      plots as SVG, the only users of gonum/plot
//	Origin                           when, where and by what it was computed
//	WriteJSON, ParseJSON             files that say what they are
//
//	numbers --> Table ----------> Document --> text on the terminal
//	   |          |                  ^     --> HTML page
//	   |          +--> Markdown      |
//	   +--> Bars, Lines --> SVG -----+
//
// The images of a basis are not drawn here but by package figure: that draws a
// matrix as pixels and needs an image encoder and nothing else, where this package
// brings along a plotting library and its fonts; nmu factor uses the one without
// the other.
//
// The same input gives the same bytes: nothing depends on the time, on the order
// of a map or on fonts of the machine.
package render
