//go:build mpi

package mpi

/*
#cgo pkg-config: ompi-c
#cgo nocallback nmu_exchange
#cgo noescape nmu_done
#cgo nocallback nmu_done
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

// nmu_exchange begins to send and to receive at most INT_MAX bytes each.
static void nmu_exchange(MPI_Request *pending, int partner, void *send, int sent, void *receive, int wanted) {
	pending[0] = pending[1] = MPI_REQUEST_NULL;
	if (wanted)
		MPI_Irecv(receive, wanted, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &pending[0]);
	if (sent)
		MPI_Isend(send, sent, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &pending[1]);
}

// nmu_broadcast begins to give at most INT_MAX bytes to all.
static void nmu_broadcast(MPI_Request *pending, void *data, int n) {
	pending[1] = MPI_REQUEST_NULL;
	MPI_Ibcast(data, n, MPI_BYTE, 0, MPI_COMM_WORLD, &pending[0]);
}

// nmu_done returns how many bytes came, or -1 if what was begun is not done.
static int nmu_done(MPI_Request *pending, int wanted) {
	MPI_Status status[2];
	int done = 0, came = 0;
	MPI_Testall(2, pending, &done, status);
	if (!done)
		return -1;
	if (wanted)
		MPI_Get_count(&status[0], MPI_BYTE, &came);
	return came;
}

// nmu_signal sends a byte to process 0 beside the exchanges, which have another tag. It is so
// short that MPI does not wait for process 0.
static void nmu_signal(unsigned char word) { MPI_Send(&word, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD); }

// nmu_signalled returns the next such byte, or -1 if none has come.
static int nmu_signalled(void) {
	int there = 0;
	unsigned char word;
	MPI_Status status;
	MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &there, &status);
	if (!there)
		return -1;
	MPI_Recv(&word, 1, MPI_BYTE, status.MPI_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return word;
}

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
	"runtime/debug"
	"sync"
	"time"
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

	turn    sync.Mutex
	pending [2]C.MPI_Request // of an exchange
	pinner  runtime.Pinner   // of its buffers
	rested  time.Time        // when the scheduler of Go was called last
	end     chan struct{}    // closed, the thread that started MPI ends it
	over    chan struct{}
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
		came := w.exchange(partner, s, r)
		if came != len(r) {
			fmt.Fprintf(os.Stderr, "nmu: process %d: %d bytes came from process %d, not %d\n", w.rank, came, partner, len(r))
			C.nmu_abort(1)
		}
		send, receive = send[len(s):], receive[len(r):]
	}
}

// exchange is Exchange for one piece. It returns how many bytes came.
func (w *World) exchange(partner int, send, receive []byte) int {
	w.pin(send)
	w.pin(receive)
	C.nmu_exchange(&w.pending[0], C.int(partner), first(send), C.int(len(send)), first(receive), C.int(len(receive)))
	return w.wait(len(receive))
}

// pin keeps what MPI reads or writes where it is, until wait returns.
func (w *World) pin(b []byte) {
	if len(b) > 0 {
		w.pinner.Pin(first(b))
	}
}

// wait waits for what was begun, of which so many bytes are to come, and returns how
// many came.
//
// It waits in Go, by short calls of MPI: from a goroutine that is in C for long the
// runtime takes its processor away, and gives it to another thread. Then it looks after
// all of them every 20 µs for a while, and the goroutine goes on in whichever thread
// comes first, on the core of another process as often as not.
func (w *World) wait(wanted int) (came int) {
	defer w.pinner.Unpin()
	for came = -1; came < 0; came = int(C.nmu_done(&w.pending[0], C.int(wanted))) {
		w.rest()
	}
	return came
}

// leastRest is less than the 10 ms after which the runtime interrupts a goroutine by a
// signal, or takes the processor of one that is in C.
const leastRest = 4 * time.Millisecond

// rest calls the scheduler of Go now and then.
func (w *World) rest() {
	if now := time.Now(); now.Sub(w.rested) >= leastRest {
		w.rested = now
		runtime.Gosched()
	}
}

// Threads tells how many threads of this process compute, and returns how many it was
// told before. The runtime of Go gets as many processors: with one that is idle every
// call of its scheduler wakes another thread, which may run in place of this process,
// or of the one that it waits for.
func (w *World) Threads(n int) (before int) { return runtime.GOMAXPROCS(min(n, runtime.NumCPU())) }

// Limit tells how many bytes of memory this process may take, and returns how many it was
// told before.
func (w *World) Limit(bytes int64) (before int64) { return debug.SetMemoryLimit(bytes) }

// Broadcast gives the data of process 0 to all, which have slices of one length.
func (w *World) Broadcast(data []byte) {
	w.turn.Lock()
	defer w.turn.Unlock()
	for len(data) > 0 {
		b := data[:min(len(data), piece)]
		w.pin(b)
		C.nmu_broadcast(&w.pending[0], first(b), C.int(len(b)))
		w.wait(0)
		data = data[len(b):]
	}
}

// Signal gives process 0 a word, at any time and whatever that does: Signalled returns it
// there.
func (w *World) Signal(word byte) {
	w.turn.Lock()
	defer w.turn.Unlock()
	C.nmu_signal(C.uchar(word))
}

// Signalled returns a word that another process has given to process 0, each of them once.
func (w *World) Signalled() (word byte, ok bool) {
	w.turn.Lock()
	defer w.turn.Unlock()
	n := C.nmu_signalled()
	return byte(n), n >= 0
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
