//go:build !mpi

package mpi

// Available says whether this program was built with MPI.
const Available = false

// World stands for the processes that were started together. Without MPI there is none.
type World struct{}

// Init returns ErrNone.
func Init() (*World, error) { return nil, ErrNone }

// Rank returns 0.
func (*World) Rank() int { return 0 }

// Size returns 1.
func (*World) Size() int { return 1 }

// Local returns 1.
func (*World) Local() int { return 1 }

// Processors returns 1.
func (*World) Processors() int { return 1 }

// Threads does nothing, and returns 0.
func (*World) Threads(n int) (before int) { return 0 }

// Limit does nothing, and returns 0.
func (*World) Limit(bytes int64) (before int64) { return 0 }

// Exchange does nothing: there is no partner.
func (*World) Exchange(partner int, send, receive []byte) {}

// Broadcast does nothing: there is no other process.
func (*World) Broadcast(data []byte) {}

// Signal does nothing: there is no other process.
func (*World) Signal(word byte) {}

// Signalled returns nothing.
func (*World) Signalled() (word byte, ok bool) { return 0, false }

// Barrier does nothing.
func (*World) Barrier() {}

// Abort does nothing.
func (*World) Abort(status int) {}

// Finalize does nothing.
func (*World) Finalize() {}
