//go:build !mpi

package mpi

// Available says whether this program was built with MPI.
const Available = false

// World stands for the processes that were started together. Without MPI there is none.
type World struct{ methods }

type methods interface {
	Rank() int
	Size() int
	Local() int
	Processors() int
	Threads(n int) (before int)
	Limit(bytes int64) (before int64)
	Exchange(partner int, send, receive []byte)
	Broadcast(data []byte)
	Signal(word byte)
	Signalled() (word byte, ok bool)
	Barrier()
	Abort(status int)
	Finalize()
}

// Init returns ErrNone.
func Init() (*World, error) { return nil, ErrNone }
