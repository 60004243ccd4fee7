package render

import (
	"bytes"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"time"

	"nmu/internal/isa"
	"nmu/internal/must"
)

func TestOrigin(t *testing.T) {
	o := NewOrigin()
	if o.OS != runtime.GOOS || o.Arch != runtime.GOARCH || o.Level != isa.Active().String() || time.Since(o.Date) > time.Hour {
		t.Errorf("%+v", o)
	}
	o = Origin{
		Date: time.Date(2026, 11, 20, 14, 18, 12, 0, time.UTC), CPU: "Testor",
		OS: "linux", Arch: "amd64", Level: "avx512", Go: "go1.26.8", Revision: "0123456789abcdef",
	}
	must.Equal(t, o.Line(), "2026-11-20, linux/amd64, avx512 kernels, go1.26.8, revision 0123456789ab")
}

// The fields of an origin stand among those of the file that it is of.
func TestJSON(t *testing.T) {
	type file struct {
		Schema string `json:"schema"`
		Origin
		Note string `json:"note"`
	}
	in := file{"test/1", Origin{CPU: "Testor"}, "a < b"}
	var b bytes.Buffer
	must.Do(t, WriteJSON(&b, in))
	if text := b.String(); !strings.Contains(text, "\n  \"cpu\": \"Testor\",\n") || !strings.Contains(text, "\"a < b\"") {
		t.Errorf("written:\n%s", text)
	}
	var out file
	if err := json.Unmarshal(b.Bytes(), &out); err != nil || out != in {
		t.Errorf("read %+v (%v), want %+v", out, err, in)
	}
}
