package process

import (
	"os"
	"testing"
)

func TestKibibytes(t *testing.T) {
	path := t.TempDir() + "/status"
	if err := os.WriteFile(path, []byte("Name:\tx\nVmHWM:\t    123 kB\nVmRSS: x kB\nVmLck: -1 kB\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]int{"VmHWM:": 123 << 10, "VmRSS:": 0, "VmLck:": 0, "VmPeak:": 0} {
		if got := kibibytes(path, key); got != want {
			t.Errorf("%s %d, want %d", key, got, want)
		}
	}
	if got := kibibytes(path+"x", "VmHWM:"); got != 0 {
		t.Errorf("%d from a file that is not there", got)
	}
}
