//go:build mpi

package mpi

/*
#cgo pkg-config: ompi-c
#cgo noescape nmu_exchange
#cgo nocallback nmu_exchange
#cgo noescape nmu_broadcast
#cgo nocallback nmu_broadcast

#include <mpi.h>
#include <unistd.h>

// nmu_init starts MPI and returns the level of threads that it grants, which are in the
// order of their constants, or -1. local is the number of processes on this machine.
static int nmu_init(int *rank, int *size, int *local) {
	int granted;
	MPI_Comm here;
	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &granted) != MPI_SUCCESS)
		return -1;
	MPI_Comm_rank(MPI_COMM_WORLD, rank);
	MPI_Comm_size(MPI_COMM_WORLD, size);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, *rank, MPI_INFO_NULL, &here);
	MPI_Comm_size(here, local);
	MPI_Comm_free(&here);
	return granted >= MPI_THREAD_SERIALIZED;
}

// nmu_exchange sends and receives at most INT_MAX bytes each, and returns how many came.
static int nmu_exchange(int partner, void *send, int sent, void *receive, int wanted) {
	MPI_Status status;
	int came = 0;
	MPI_Sendrecv(send, sent, MPI_BYTE, sent ? partner : MPI_PROC_NULL, 0,
		receive, wanted, MPI_BYTE, wanted ? partner : MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
	if (wanted)
		MPI_Get_count(&status, MPI_BYTE, &came);
	return came;
}

static void nmu_broadcast(void *data, int n) { MPI_Bcast(data, n, MPI_BYTE, 0, MPI_COMM_WORLD); }
static void nmu_barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void nmu_abort(int status) { MPI_Abort(MPI_COMM_WORLD, status); }
static void nmu_finalize(void) { MPI_Finalize(); }
static long nmu_processors(void) { return sysconf(_SC_NPROCESSORS_ONLN); }
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"
)

// Available says whether this program was built with MPI.
const Available = true

// piece is how many bytes a message has at most: MPI counts them in an int. Tests make it
// smaller.
var piece = 1 << 30

// World is the processes that were started together. Its methods may be called by
// several goroutines, and take turns. An error of MPI ends all processes, as is its
// default.
type World struct {
	rank, size, local int

	turn sync.Mutex
	end  chan struct{} // closed, the thread that started MPI ends it
	over chan struct{}
}

// Init starts MPI, once in a process. Finalize or Abort must follow.
func Init() (*World, error) {
	w := &World{end: make(chan struct{}), over: make(chan struct{})}
	ready := make(chan C.int)
	go func() { // the thread that has started MPI must end it
		runtime.LockOSThread()
		var rank, size, local C.int
		granted := C.nmu_init(&rank, &size, &local)
		w.rank, w.size, w.local = int(rank), int(size), int(local)
		ready <- granted
		<-w.end
		C.nmu_finalize()
		close(w.over)
	}()
	switch <-ready {
	case 1:
		return w, nil
	case 0:
		w.Finalize()
		return nil, errors.New("this MPI does not let threads take turns (MPI_THREAD_SERIALIZED); choose another build of it")
	}
	return nil, errors.New("MPI_Init_thread has failed; start the program with mpirun -n N")
}

// Rank returns the number of this process, from 0.
func (w *World) Rank() int { return w.rank }

// Size returns the number of processes.
func (w *World) Size() int { return w.size }

// Local returns how many of them run on this machine.
func (w *World) Local() int { return w.local }

// Processors returns how many processors this machine has, of which mpirun may have bound
// this process to some.
func (w *World) Processors() int { return max(1, int(C.nmu_processors())) }

// Exchange sends data to a partner, and receives exactly len(receive) bytes from it,
// which must ask for the opposite. Either may be empty.
func (w *World) Exchange(partner int, send, receive []byte) {
	w.turn.Lock()
	defer w.turn.Unlock()
	for len(send) > 0 || len(receive) > 0 {
		s, r := send[:min(len(send), piece)], receive[:min(len(receive), piece)]
		came := C.nmu_exchange(C.int(partner), first(s), C.int(len(s)), first(r), C.int(len(r)))
		if int(came) != len(r) {
			fmt.Fprintf(os.Stderr, "nmu: process %d: %d bytes came from process %d, not %d\n", w.rank, came, partner, len(r))
			C.nmu_abort(1)
		}
		send, receive = send[len(s):], receive[len(r):]
	}
}

// Broadcast gives the data of process 0 to all, which have slices of one length.
func (w *World) Broadcast(data []byte) {
	w.turn.Lock()
	defer w.turn.Unlock()
	for len(data) > 0 {
		b := data[:min(len(data), piece)]
		C.nmu_broadcast(first(b), C.int(len(b)))
		data = data[len(b):]
	}
}

// Barrier waits for all processes.
func (w *World) Barrier() {
	w.turn.Lock()
	defer w.turn.Unlock()
	C.nmu_barrier()
}

// Abort ends all processes at once, whatever they do, this one with the given status.
func (w *World) Abort(status int) { C.nmu_abort(C.int(status)) }

// Finalize ends MPI in this process, once all that was sent has been received. Others
// may still be at work; it is the last call.
func (w *World) Finalize() {
	close(w.end)
	<-w.over
}

// first returns a pointer to the first byte, or nil.
func first(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }
