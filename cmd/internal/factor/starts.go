package factor

import (
	"time"

	"nmu/cmd/internal/program"
	"nmu/cmd/internal/progress"
	"nmu/internal/work"
	"nmu/lnmu"
)

// longRun is the delay after which a note says how long several runs take.
const longRun = 2 * time.Second

// saySeveral says, when the work begins, that it is several runs, which the command line did
// not ask for, and how long they take, once that is known.
func (f *commandLine) saySeveral(c *program.Call, p *work.Plan, steps *progress.Steps) {
	if p.Settings.Restarts < 2 || c.Given("restarts") || f.From != nil || f.All.Helper() {
		return
	}
	runs, show := p.Settings.Restarts, p.Settings.Progress
	begun, timed := false, false
	p.Settings.Progress = func(at lnmu.Progress) {
		if !begun {
			begun = true
			c.Note("nmu makes %d runs from different starts and keeps the best; --restarts 1 makes one", runs)
		}
		if !timed && at.Elapsed >= longRun && at.Remaining >= 0 {
			timed = true
			steps.Clear()
			c.Note("the %d runs take about %v", runs, (at.Elapsed + at.Remaining).Round(time.Second))
		}
		show(at)
	}
}
