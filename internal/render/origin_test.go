package render

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"time"

	"nmu/internal/isa"
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
	if got, want := o.Line(), "2026-11-20, linux/amd64, avx512 kernels, go1.26.8, revision 0123456789ab"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
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
	if err := WriteJSON(&b, in); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "\n  \"cpu\": \"Testor\",\n") || !strings.Contains(text, "\"a < b\"") {
		t.Errorf("written:\n%s", text)
	}
	var out file
	if err := ParseJSON(b.Bytes(), "test/1", &out); err != nil || out != in {
		t.Errorf("read %+v (%v), want %+v", out, err, in)
	}
	for _, c := range []struct{ text, says string }{
		{"", "end of JSON"}, {"{", "end of JSON"}, {"[]", "array"}, {"{}", `its schema is ""`},
		{`{"schema":"test/2"}`, `its schema is "test/2", this program reads "test/1"`}, {`{"schema":"test/1","note":1}`, "note"},
	} {
		if err := ParseJSON([]byte(c.text), "test/1", &out); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: error %v, want one about %q", c.text, err, c.says)
		}
	}
}
