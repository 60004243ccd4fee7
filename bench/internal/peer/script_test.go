package peer

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"nmu/bench/internal/machine"
)

// fakeEnv makes the test binary behave as an interpreter of peer scripts.
const fakeEnv = "NMU_TEST_FAKE_PEER"

func TestMain(m *testing.M) {
	if how := os.Getenv(fakeEnv); how != "" {
		fake(how)
		return
	}
	os.Exit(m.Run())
}

// fake is an interpreter whose only skill is the sum of M, V and W, which it
// reports as the relative error. OPENBLAS_CORETYPE decides its speed.
func fake(how string) {
	arg := os.Args[len(os.Args)-1]
	reply := map[string]any{"program": "fake", "version": "1.2", "blas": "OpenBLAS 0.0"}
	switch how {
	case "missing":
		reply = map[string]any{"missing": "talent"}
	case "second":
		if filepath.Base(filepath.Dir(os.Args[0])) != how {
			reply = map[string]any{"missing": "talent"}
		}
	case "crash":
		fmt.Fprintln(os.Stderr, "first line\nno such luck")
		os.Exit(3)
	case "babble":
		fmt.Println("hello")
		return
	case "hang":
		if arg != "--version" {
			time.Sleep(time.Minute)
		}
	case "plain":
		reply["blas"] = "reference"
	}
	if arg != "--version" {
		var t task
		text, err := os.ReadFile(arg)
		if err == nil {
			err = json.Unmarshal(text, &t)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		sum := 0.0
		for _, path := range []string{t.M, t.V, t.W} {
			b, _ := os.ReadFile(path)
			for ; len(b) > 0; b = b[t.Type.Size():] {
				if t.Type == machine.Float32 {
					sum += float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
				} else {
					sum += math.Float64frombits(binary.LittleEndian.Uint64(b))
				}
			}
		}
		seconds := map[string]float64{"": 3, "Haswell": 1, "ARMV8": 1}[os.Getenv("OPENBLAS_CORETYPE")]
		if seconds == 0 {
			fmt.Fprintln(os.Stderr, "illegal instruction")
			os.Exit(132)
		}
		reply["seconds"] = seconds
		if how == "idle" {
			reply["seconds"] = 0
		}
		reply["relative_error"] = sum
		if os.Getenv("OMP_NUM_THREADS") != fmt.Sprint(t.Threads) || os.Getenv("OPENBLAS_NUM_THREADS") != fmt.Sprint(t.Threads) {
			fmt.Fprintln(os.Stderr, "wrong number of threads")
			os.Exit(1)
		}
	}
	text, _ := json.Marshal(reply)
	fmt.Printf("some warning\n%s\n", text)
}

// fakePeer is a script peer whose interpreter is this test binary.
func fakePeer(t *testing.T, how string) *script {
	t.Helper()
	t.Setenv(fakeEnv, how)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // with -race every exit would wait a second
	t.Setenv("OPENBLAS_CORETYPE", "")
	self, err := os.Executable()
	if err == nil {
		err = exec.Command(self, "--version").Run()
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Skipf("the fake peer is this test binary, which cannot start itself here (an emulator?): %v", err)
	}
	return &script{name: "fake", file: "numpy_peer.py", interpreters: []string{"no-such-interpreter", self}, methods: []string{NMF}}
}

func TestScriptRun(t *testing.T) {
	for _, typ := range []machine.Type{machine.Float64, machine.Float32} {
		p := fakePeer(t, "good")
		if v, err := p.Available(t.Context()); v != "1.2" || err != nil {
			t.Fatalf("version %q, %v", v, err)
		}
		job := randomJob(NMF, 4, 6, 2)
		job.Threads, job.Type = 3, typ
		want := 0.0
		for _, a := range []*mat.Dense{job.M, job.V, job.W} {
			for _, x := range a.RawMatrix().Data {
				if typ == machine.Float32 {
					x = float64(float32(x))
				}
				want += x
			}
		}
		out, err := p.Run(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		if out.RelativeError != want || out.Program != "fake" || out.Version != "1.2" {
			t.Errorf("%s: outcome %+v, want the sum %g of what was sent", typ, out, want)
		}
		wantCore := ""
		for _, c := range coreTypes() {
			if c == "Haswell" || c == "ARMV8" {
				wantCore = c
			}
		}
		if out.CoreType != wantCore {
			t.Errorf("core type %q, want the fastest, %q", out.CoreType, wantCore)
		}
	}
	if out, err := fakePeer(t, "plain").Run(t.Context(), randomJob(NMF, 4, 6, 2)); err != nil || out.CoreType != "" {
		t.Errorf("without OpenBLAS: %+v, %v; want no core type", out, err)
	}
}

func TestScriptFails(t *testing.T) {
	for how, want := range map[string]string{
		"missing": "has no talent",
		"crash":   "no such luck",
		"babble":  `printed "hello"`,
	} {
		p := fakePeer(t, how)
		_, err := p.Available(t.Context())
		if !errors.Is(err, ErrNotInstalled) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "no-such-interpreter") {
			t.Errorf("%s: error %v, want ErrNotInstalled with %q", how, err, want)
		}
		if _, again := p.Run(t.Context(), randomJob(NMF, 4, 6, 2)); again == nil || again.Error() != err.Error() {
			t.Errorf("%s: Run says %v, Available said %v", how, again, err)
		}
	}
	if _, err := fakePeer(t, "good").Run(t.Context(), randomJob(RNMU, 4, 6, 2)); !errors.Is(err, ErrUnsupported) {
		t.Errorf("a method it lacks: %v, want ErrUnsupported", err)
	}
	if _, err := fakePeer(t, "idle").Run(t.Context(), randomJob(NMF, 4, 6, 2)); err == nil {
		t.Error("zero seconds were accepted")
	}
}

// TestScriptTriesAll has two interpreters of one name on the path, as where a
// version manager puts its own before the system's: the second has what the
// script needs. A folder on the path by another name is not tried again.
func TestScriptTriesAll(t *testing.T) {
	p := fakePeer(t, "second")
	self := p.interpreters[1]
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	name := "interpreter" + filepath.Ext(self)
	link := func(to, at string) {
		if err := os.Symlink(to, at); err != nil {
			t.Skipf("links cannot be used on this machine: %v", err)
		}
	}
	for _, folder := range []string{"first", "second"} {
		if err := os.Mkdir(path(folder), 0o700); err != nil {
			t.Fatal(err)
		}
		link(self, filepath.Join(path(folder), name))
	}
	link(path("first"), path("alias"))
	folders := func(names ...string) {
		for i := range names {
			names[i] = path(names[i])
		}
		t.Setenv("PATH", strings.Join(names, string(filepath.ListSeparator)))
	}

	folders("first", "none", "second")
	p.interpreters = []string{name}
	if v, err := p.Available(t.Context()); v != "1.2" || err != nil {
		t.Errorf("version %q, %v; the second interpreter has everything", v, err)
	}
	if want := filepath.Join(path("second"), name); p.command != want {
		t.Errorf("the interpreter is %s, want %s", p.command, want)
	}

	folders("first", "alias")
	p = &script{name: "fake", file: p.file, interpreters: p.interpreters}
	first := filepath.Join(path("first"), name)
	if _, err := p.Available(t.Context()); !errors.Is(err, ErrNotInstalled) || !strings.HasSuffix(err.Error(), "fake: "+first+" has no talent") {
		t.Errorf("error %v, want ErrNotInstalled for %s alone", err, first)
	}
}

func TestScriptStops(t *testing.T) {
	p := fakePeer(t, "hang")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if _, err := p.Run(ctx, randomJob(NMF, 4, 6, 2)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
	if d := time.Since(begin); d > 20*time.Second {
		t.Errorf("stopped after %v", d)
	}
}

// TestInstalledPeers runs what is installed on the jobs of the gonum test.
func TestInstalledPeers(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("it starts other programs: with NMU_FULL only")
	}
	for _, p := range All()[1:] {
		t.Run(p.Name(), func(t *testing.T) {
			version, err := p.Available(t.Context())
			if errors.Is(err, ErrNotInstalled) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, method := range p.(*script).methods {
				for _, typ := range []machine.Type{machine.Float64, machine.Float32} {
					job := randomJob(method, 9, 14, 3)
					job.Type = typ
					p.(*script).about.BLAS = "" // no trials of core types
					out, err := p.Run(t.Context(), job)
					if err != nil {
						t.Fatal(err)
					}
					tol := 1e-11
					if typ == machine.Float32 {
						tol = 1e-5
					}
					if want := literalError(job); !(math.Abs(out.RelativeError-want) <= tol) {
						t.Errorf("%s %s: relative error %.15g, want %.15g", method, typ, out.RelativeError, want)
					}
				}
			}
			t.Logf("%s %s", p.Name(), version)
		})
	}
}
