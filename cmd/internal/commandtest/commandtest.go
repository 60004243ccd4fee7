// Package commandtest runs the command lines of nmu for their tests.
package commandtest

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/program"
	"nmu/internal/must"
)

// Program is a program under test. Root makes its command, without a flag that is set, which takes as
// long as a small run.
type Program struct {
	Name string
	Root func() *program.Program
}

// Run runs a command line in this process.
func (p Program) Run(args ...string) (status int, stdout, stderr string) {
	return p.RunFrom(strings.NewReader(""), args...)
}

// RunFrom is Run with a standard input.
func (p Program) RunFrom(stdin io.Reader, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = p.Root().Execute(context.Background(), args, stdin, &out, &err)
	return status, out.String(), err.String()
}

// line returns the command line for a reader.
func (p Program) line(args []string) string {
	return strings.Join(append([]string{p.Name}, args...), " ")
}

// Succeed runs a command line that must not fail, and returns what it prints. It may print
// notes on stderr.
func (p Program) Succeed(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := p.Run(args...)
	if status != 0 || !OnlyNotes(stderr) {
		t.Fatalf("%s: status %d, %s", p.line(args), status, stderr)
	}
	return stdout
}

// OnlyNotes reports whether all lines are notes.
func OnlyNotes(stderr string) bool {
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "nmu: note: ") {
			return false
		}
	}
	return true
}

// Fails runs a command line that must end with the status of an error, and one line on stderr,
// beside notes, that contains all of says.
func (p Program) Fails(t *testing.T, says []string, args ...string) {
	t.Helper()
	status, stdout, stderr := p.Run(args...)
	for strings.HasPrefix(stderr, "nmu: note: ") {
		_, stderr, _ = strings.Cut(stderr, "\n")
	}
	if status != exit.StatusError && status != exit.StatusUsage || stdout != "" {
		t.Errorf("%s: status %d, output %q", p.line(args), status, stdout)
	}
	if !strings.HasPrefix(stderr, p.Name+": ") || strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") {
		t.Errorf("%s: not one line: %q", p.line(args), stderr)
	}
	for _, s := range says {
		if !strings.Contains(stderr, s) {
			t.Errorf("%s: %q does not say %q", p.line(args), stderr, s)
		}
	}
}

// Signalled runs a command line, sends this process a signal after a while, and again while it is being
// obeyed, and wants a status and a text on stderr. It waits twice as long until the text comes, since the
// machine may be slow. With an empty text it runs the command line once, for 50 milliseconds.
func (p Program) Signalled(t *testing.T, sent os.Signal, want int, says string, args ...string) (stderr string) {
	t.Helper()
	first := 10 * time.Millisecond
	if says == "" {
		first *= 5
	}
	for after := first; ; after *= 2 {
		if stderr = p.signalled(t, sent, want, after, args); strings.Contains(stderr, says) {
			return stderr
		} else if after > 20*time.Second {
			t.Fatalf("%s: %q does not say %q", p.line(args), stderr, says)
		}
	}
}

// signalled is Signalled with one wait.
func (p Program) signalled(t *testing.T, sent os.Signal, want int, after time.Duration, args []string) (stderr string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot send itself a signal on Windows")
	}
	// Else a signal that arrives late, after the command has ended, would end the
	// tests; so this is never taken back.
	came := make(chan os.Signal, 1)
	signal.Notify(came, sent)
	self := must.Get(os.FindProcess(os.Getpid()))(t)
	done := make(chan int)
	var out, msg bytes.Buffer
	go func() { done <- p.Root().Execute(context.Background(), args, nil, &out, &msg) }()
	time.Sleep(after)
	for {
		select {
		case <-came: // the one before
		default:
		}
		must.Do(t, self.Signal(sent))
		select {
		case status := <-done:
			select {
			case <-came: // so that it does not come to the command of the next test
			case <-time.After(time.Minute):
				t.Fatalf("%v did not come", sent)
			}
			if status != want {
				t.Fatalf("status %d, %s", status, &msg)
			}
			return msg.String()
		case <-time.After(50 * time.Millisecond): // came too early, or is being obeyed
		}
	}
}

// Help checks that each command and flag is explained, and that the examples are command lines.
func (p Program) Help(t *testing.T) {
	t.Helper()
	root := p.Root()
	for _, cmd := range root.Commands() {
		if cmd.Hidden {
			continue
		}
		help := p.Succeed(t, cmd.Name(), "--help")
		texts := []string{cmd.Long, cmd.Example}
		if cmd.IsAdditionalHelpTopicCommand() {
			texts = texts[:1] // it is no command
		}
		for _, text := range texts {
			if text == "" || !strings.Contains(help, text) {
				t.Errorf("help of %s lacks a text or the examples", cmd.Name())
			}
		}
		for line := range strings.Lines(cmd.Example) {
			_, line, ok := strings.Cut(line, root.Name()+" ")
			args := strings.Fields(line)
			if !ok || args[0] != cmd.Name() {
				t.Errorf("%s: not an example of this command: %q", cmd.Name(), line)
				continue
			}
			if fresh, _, err := p.Root().Find(args[:1]); err != nil {
				t.Errorf("%s: %v", line, err)
			} else if err := fresh.ParseFlags(args[1:]); err != nil {
				t.Errorf("%s: %q: %v", cmd.Name(), line, err)
			}
		}
		for line := range strings.Lines(help) {
			if len(line) > 100 {
				t.Errorf("%s: long line %q", cmd.Name(), line)
			}
		}
	}
}

// TextFile writes a file and returns its path.
func TextFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, []byte(content), 0o666))
	return path
}

// ReadText returns the content of a file.
func ReadText(t testing.TB, path ...string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(filepath.Join(path...)))(t))
}

// Names lists a folder.
func Names(t *testing.T, dir string) []string {
	t.Helper()
	var s []string
	for _, e := range must.Get(os.ReadDir(dir))(t) {
		s = append(s, e.Name())
	}
	return s
}

// SamePicture compares the pixels of two PNG files, since the compression may change.
func SamePicture(t *testing.T, a, b string) bool {
	t.Helper()
	read := func(path string) image.Image {
		return must.Get(png.Decode(strings.NewReader(ReadText(t, path))))(t, path)
	}
	return reflect.DeepEqual(read(a), read(b))
}
