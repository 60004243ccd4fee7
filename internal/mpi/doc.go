// Package mpi is the few calls of MPI, the standard of message passing on clusters,
// that a factorization by several processes takes: who they are, an exchange of bytes
// with one partner, a broadcast, a barrier, a word to process 0 whatever it does, and two
// ways to end. Who waits for a message
// polls, within Go, so that the scheduler of Go leaves the waiting goroutine where it is
// (World.Threads belongs to that).
//
// It needs the tag mpi, cgo and the development files of Open MPI, which pkg-config
// finds under the name ompi-c. Without the tag Init returns ErrNone.
//
// The calls are made one at a time, from whichever thread (MPI_THREAD_SERIALIZED). The
// handlers of the Go runtime for signals stay: Open MPI leaves alone what has one when
// it starts.
package mpi

import "errors"

// ErrNone is the error of Init in a program that was built without MPI.
var ErrNone = errors.New("this build has no MPI; go build -tags mpi ./cmd/nmu makes one that has, with the development files of Open MPI (on Debian libopenmpi-dev) and a C compiler")
