//go:build mpi && linux

package mpi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"nmu/internal/must"
)

// childEnv says what a process that mpirun has started is to do, instead of the tests.
const childEnv = "NMU_MPI_TEST"

func TestMain(m *testing.M) {
	do, child := children[os.Getenv(childEnv)]
	if !child {
		os.Exit(m.Run())
	}
	w, err := Init()
	if err == nil {
		err = do(w)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	w.Finalize()
}

// children are what the processes do.
var children = map[string]func(w *World) error{
	"exchange": exchange, "signals": signals, "late": late,
	"abort": func(w *World) error {
		if w.Rank() == w.Size()-1 {
			fmt.Fprintln(os.Stderr, "the reason")
			w.Abort(7)
		}
		w.Barrier()
		return nil
	},
	"killed": func(w *World) error {
		w.Barrier()
		if w.Rank() == w.Size()-1 {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		w.Barrier()
		return nil
	},
}

// exchange sends bytes of many lengths, in several pieces, between all, in both
// directions and in one, and from process 0 to all.
func exchange(w *World) error {
	piece = 1000
	of := func(rank, n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i*i/7 + 31*rank)
		}
		return b
	}
	for _, n := range []int{0, 1, 999, 1000, 1001, 5000, 300_000} {
		for distance := 1; distance < w.Size(); distance *= 2 {
			partner := w.Rank() ^ distance
			if partner >= w.Size() {
				continue
			}
			most := max(w.Rank(), partner)
			for _, oneWay := range []bool{false, true} {
				sent, wanted := n+w.Rank(), n+partner
				if oneWay {
					sent, wanted = 0, n
					if w.Rank() == most {
						sent, wanted = n, 0
					}
				}
				got := make([]byte, wanted)
				w.Exchange(partner, of(w.Rank(), sent), got)
				if !bytes.Equal(got, of(partner, wanted)) {
					return fmt.Errorf("process %d: %d bytes from %d are not those that it sent", w.Rank(), wanted, partner)
				}
			}
		}
		got := of(w.Rank(), n)
		w.Broadcast(got)
		if !bytes.Equal(got, of(0, n)) {
			return fmt.Errorf("process %d: %d bytes are not those of process 0", w.Rank(), n)
		}
	}
	w.Barrier()
	if w.Local() != w.Size() {
		return fmt.Errorf("%d of %d processes are on this machine", w.Local(), w.Size())
	}
	return nil
}

// signals shows that the signals of the Go runtime work after MPI has begun: a fault
// is a panic, goroutines are preempted, and the collector runs while others wait.
func signals(w *World) error {
	fault := func(do func()) (err error) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			if recover() == nil {
				err = errors.New("a fault is no panic")
			}
		}()
		do()
		return nil
	}
	page, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return err
	}
	var null *int
	if err := errors.Join(fault(func() { page[1] = 1 }), fault(func() { *null = 1 })); err != nil {
		return err
	}
	runtime.GOMAXPROCS(1)
	done := make(chan bool)
	x := 0
	go func() { // it is stopped by signals only
		for i := 0; i < 1<<27; i++ {
			x += i
		}
		close(done)
	}()
	for on := []byte{1}; on[0] != 0; {
		runtime.GC()
		select {
		case <-done: // in process 0 decides
			on[0] = 0
		default:
		}
		w.Broadcast(on)
	}
	<-done
	w.Barrier()
	return nil
}

// late shows that a process that waits for its partner does not keep others from the
// only processor that it has, and gets what it waits for though the heap is collected:
// the partner is late until the others have come to an end.
func late(w *World) error {
	defer w.Threads(w.Threads(1))
	if n := w.Threads(1); n != 1 {
		return fmt.Errorf("1 thread is %d threads", n)
	}
	signalled := make(chan os.Signal, 1)
	signal.Notify(signalled, syscall.SIGUSR1)
	own, partner := make([]byte, 8), make([]byte, 8)
	binary.LittleEndian.PutUint64(own, uint64(os.Getpid()))
	w.Exchange(1-w.Rank(), own, partner)
	if w.Rank() == 0 {
		go func() {
			for range 3 {
				runtime.GC()
			}
			syscall.Kill(int(binary.LittleEndian.Uint64(partner)), syscall.SIGUSR1)
		}()
	} else {
		<-signalled
	}
	const n = 300_000
	got := make([]byte, n)
	w.Exchange(1-w.Rank(), bytes.Repeat([]byte{byte(1 + w.Rank())}, n), got)
	if !bytes.Equal(got, bytes.Repeat([]byte{byte(2 - w.Rank())}, n)) {
		return fmt.Errorf("process %d: what it has waited for is not what was sent", w.Rank())
	}
	return nil
}

// mpirun runs this program in n processes, and returns what they print and the status.
func mpirun(t *testing.T, n int, do string) (out string, status int) {
	t.Helper()
	path, err := exec.LookPath("mpirun")
	if err != nil {
		t.Skipf("NOT TESTED: mpirun is not installed: %v", err)
	}
	self := must.Get(os.Executable())(t)
	cmd := exec.Command(path, "--oversubscribe", "-n", fmt.Sprint(n), self)
	cmd.Env = append(os.Environ(), childEnv+"="+do, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

func TestMPIExchange(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		if out, status := mpirun(t, n, "exchange"); status != 0 || out != "" {
			t.Errorf("%d processes: status %d, %s", n, status, out)
		}
	}
}

func TestMPISignals(t *testing.T) {
	if out, status := mpirun(t, 2, "signals"); status != 0 || out != "" {
		t.Errorf("status %d, %s", status, out)
	}
}

func TestMPILate(t *testing.T) {
	if out, status := mpirun(t, 2, "late"); status != 0 || out != "" {
		t.Errorf("status %d, %s", status, out)
	}
}

// However one ends, all do, with the status that says how, and with what it has said
// before. What mpirun adds is not always printed: it may come too late for its own end.
func TestMPIEnd(t *testing.T) {
	for do, want := range map[string]struct {
		status int
		says   string
	}{"abort": {7, "the reason\n"}, "killed": {128 + int(syscall.SIGKILL), ""}} {
		begun := time.Now()
		if out, status := mpirun(t, 3, do); status != want.status || !strings.Contains(out, want.says) {
			t.Errorf("%s: status %d, want %d: %s", do, status, want.status, out)
		}
		t.Logf("%s: %v", do, time.Since(begun))
	}
}
