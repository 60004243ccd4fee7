//go:build unix

package exit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"nmu/internal/must"
)

// deafEnv makes this test binary a process that a signal cancels, and that goes on.
const deafEnv = "NMU_TEST_DEAF"

func TestMain(m *testing.M) {
	if os.Getenv(deafEnv) == "" {
		os.Exit(m.Run())
	}
	ctx, stop := Interruptible(context.Background())
	defer stop()
	fmt.Println("ready")
	<-ctx.Done()
	fmt.Println("cancelled")
	time.Sleep(time.Minute)
	os.Exit(1)
}

// A second signal ends a process that has not ended by itself. SIGTERM or SIGHUP that comes at
// once is the same request.
func TestSecondSignalEndsProcess(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Skipf("NOT TESTED: a process of its own cannot be used on this machine: %v", err)
	}
	for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(sent) {
			continue // a process that began under nohup stays deaf, and so would its child
		}
		t.Run(sent.String(), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), deafEnv+"=1")
			stdout, err := cmd.StdoutPipe()
			must.Do(t, err)
			if err := cmd.Start(); err != nil {
				t.Skipf("NOT TESTED: a process of its own cannot be used on this machine: %v", err)
			}
			lines := bufio.NewScanner(stdout)
			for _, want := range []string{"ready", "cancelled"} {
				if !lines.Scan() || lines.Text() != want {
					t.Fatalf("got %q, want %q", lines.Text(), want)
				}
				cmd.Process.Signal(sent)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			if sent != syscall.SIGINT {
				select {
				case err := <-ended:
					t.Fatalf("the second signal at once ended the process: %v", err)
				case <-time.After(sameSignal + 100*time.Millisecond):
				}
				cmd.Process.Signal(sent)
			}
			select {
			case err = <-ended:
			case <-time.After(10 * time.Second):
				cmd.Process.Kill()
				t.Fatal("the process goes on")
			}
			var exit *exec.ExitError
			if !errors.As(err, &exit) {
				t.Fatalf("error %v", err)
			}
			if status, ok := exit.Sys().(syscall.WaitStatus); !ok || status.Signal() != sent {
				t.Errorf("status %v", exit)
			}
		})
	}
}
