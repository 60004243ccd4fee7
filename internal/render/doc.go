// Package render writes results for readers: tables, documents and plots. It gets text and
// numbers from packages bench and paper and does not know their meaning.
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
// Package figure draws the images of a basis. It draws a matrix as pixels and needs only an
// image encoder. This package needs a plotting library with fonts, which nmu factor does not
// need.
//
// The same input gives the same bytes: nothing depends on the time, on the order of a map or on
// the fonts of the machine.
package render
