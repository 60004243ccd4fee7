// Package matrix makes, checks, copies and transposes the dense matrices of package kernel.
package matrix
