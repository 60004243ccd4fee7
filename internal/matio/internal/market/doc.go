// Package market reads Matrix Market files: coordinate (sparse) and array (dense), general and
// symmetric.
package market
