package progress

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"nmu/cmd/internal/message"
	"nmu/internal/must"
	"nmu/lnmu"
)

func TestStatusText(t *testing.T) {
	p := lnmu.Progress{
		Restart: 10, Restarts: 10, Factor: 11, Rank: 100, Iteration: 120, Iterations: 2000,
		RelativeError: 0.12345, Remaining: 2*time.Hour + 80*time.Second + 300*time.Millisecond,
	}
	const want = "restart 10/10  factor 12/100  iteration 120/2000  error 12.35 %  2h1m20s left"
	if got := statusText(p); got != want || len(got) >= 80 {
		t.Errorf("%q, want %q", got, want)
	}
	p.Restarts, p.Factor = 1, 100
	if got := statusText(p); !strings.HasPrefix(got, "factor 100/100  ") {
		t.Errorf("%q", got)
	}
}

func TestProgressLine(t *testing.T) {
	var out bytes.Buffer
	l := &Line{out: &out, Prefix: "nmf  "}
	l.Clear()
	l.Show(lnmu.Progress{Rank: 1})
	l.Show(lnmu.Progress{Rank: 1})
	l.Clear()
	l.Clear()
	if got := out.String(); strings.Count(got, "\r\x1b[Knmf  factor") != 2 || !strings.HasSuffix(got, "left\r\x1b[K") {
		t.Errorf("%q", got)
	}
	file := must.Get(os.CreateTemp(t.TempDir(), ""))(t)
	defer file.Close()
	if NewLine(&out).out != nil || NewLine(file).out != nil {
		t.Error("progress is shown although this is no terminal")
	}
}

// Several runs that were not asked for are said when they begin, and after a while how long they take.
func TestSeveral(t *testing.T) {
	const begun, take = "nmu: note: nmu makes 10 runs from different starts and keeps the best; --restarts 1 makes one\n", "nmu: note: the 10 runs take about 1m12s\n"
	for _, c := range []struct {
		runs               int
		elapsed, remaining time.Duration
		want               string
	}{
		{10, longRun, 70 * time.Second, begun + take}, {10, longRun - 1, time.Minute, begun}, {10, longRun, -1, begun}, {1, longRun, time.Minute, ""},
	} {
		var said, shown strings.Builder
		show := Watch(&message.Console{Err: &shown}, "json", false).Several(&message.Console{Err: &said}, c.runs)
		for range 2 {
			show(lnmu.Progress{Elapsed: c.elapsed, Remaining: c.remaining})
		}
		if said.String() != c.want || strings.Count(shown.String(), Schema) != 2 {
			t.Errorf("%+v: %q, shown %q", c, &said, &shown)
		}
	}
}
