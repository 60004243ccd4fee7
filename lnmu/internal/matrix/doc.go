// Package matrix does with dense matrices what is no arithmetic of package kernel: it
// makes, checks, copies and transposes them. All matrices are those of package kernel.
package matrix
