// Package methods has the flags for the options of all methods, and what help says of
// methods. Both come from the descriptions of package lnmu: a new option of a method has its
// flag without a line here.
package methods
