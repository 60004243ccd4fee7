// Package inflate reads deflated data (RFC 1951) in about half of the time of compress/flate. A test
// and a fuzz target compare the two.
package inflate
