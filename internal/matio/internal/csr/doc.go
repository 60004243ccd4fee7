// Package csr brings the entries that a file lists into compressed sparse row form.
package csr
