// Package mpi has the few calls of MPI, the standard of message passing on clusters, that a
// factorization by several processes needs: rank and size, an exchange of bytes with one
// partner, a broadcast, a barrier, a signal byte to process 0 at any time, and two ways to end.
// Waiting calls poll within Go, so that the scheduler leaves the goroutine on its thread (see
// World.Threads).
//
// It needs the tag mpi, cgo and the development files of Open MPI, which pkg-config
// finds under the name ompi-c. Without the tag Init returns ErrNone.
//
// Any thread may make the calls, one at a time (MPI_THREAD_SERIALIZED). Open MPI does not
// replace signal handlers that exist when it starts, so those of the Go runtime stay.
package mpi

import "errors"

// ErrNone reports a program that was built without MPI.
var ErrNone = errors.New("this build has no MPI; go build -tags mpi ./cmd/nmu makes one that has, with the development files of Open MPI (on Debian libopenmpi-dev) and a C compiler")
