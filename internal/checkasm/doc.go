// Package checkasm has what tests of assembly need, whatever the function: classes of values, comparison of
// bits, panics and memory faults as values, junk in registers, missing VZEROUPPERs, the counter of cycles. It does not need
// package testing, so that nmu selftest runs without a Go toolchain.
package checkasm
