package factor

import (
	"strings"
	"testing"
	"time"

	"nmu/cmd/internal/message"
	"nmu/cmd/internal/program"
	"nmu/cmd/internal/progress"
	"nmu/internal/checkpoint"
	"nmu/internal/must"
	"nmu/internal/work"
	"nmu/lnmu"
)

// Several runs that were not asked for are said when they begin, and after a while how long they take.
func TestSaySeveral(t *testing.T) {
	const runs, take = "nmu: note: nmu makes 10 runs from different starts and keeps the best; --restarts 1 makes one\n", "nmu: note: the 10 runs take about 1m12s\n"
	for _, c := range []struct {
		restarts           int
		asked, resumed     bool
		elapsed, remaining time.Duration
		want               string
	}{
		{10, false, false, longRun, 70 * time.Second, runs + take}, {10, false, false, longRun - 1, time.Minute, runs}, {10, false, false, longRun, -1, runs},
		{1, false, false, longRun, time.Minute, ""}, {10, true, false, longRun, time.Minute, ""}, {10, false, true, longRun, time.Minute, ""},
	} {
		var out strings.Builder
		command, f := newFactor()
		call, shown := command.Call(&program.Call{Console: &message.Console{Err: &out}}), 0
		if c.asked {
			must.Do(t, call.Set("restarts", "10"))
		}
		if c.resumed {
			f.From = &checkpoint.State{}
		}
		plan := work.Plan{Settings: lnmu.Settings{Start: lnmu.Start{Restarts: c.restarts}, Watch: lnmu.Watch{Progress: func(lnmu.Progress) { shown++ }}}}
		f.saySeveral(call, &plan, progress.Watch(call.Console, "line", false))
		for range 2 {
			plan.Settings.Progress(lnmu.Progress{Elapsed: c.elapsed, Remaining: c.remaining})
		}
		if out.String() != c.want || shown != 2 {
			t.Errorf("%+v: %q, shown %d times", c, &out, shown)
		}
	}
}
