package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"nmu/cmd/internal/message"
	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// Watch returns the Steps that show the progress on c as --progress says: line, json or none. With quiet it also discards the
// notes that the command prints from then on.
func Watch(c *message.Console, how string, quiet bool) *Steps {
	s := &Steps{line: &Line{}}
	switch {
	case how == "json":
		s.json = json.NewEncoder(c.Err)
	case how == "line" && !quiet:
		s.line = NewLine(c.Err)
	}
	if quiet {
		c.Err = io.Discard
	}
	return s
}

// Steps shows the progress of a run.
type Steps struct {
	line *Line
	json *json.Encoder // or nil
}

// Schema names the form of the lines of JSON.
const Schema = "nmu-progress/1"

// Step is a line of JSON about the progress.
type Step struct {
	Schema     string   `json:"schema"`
	Event      string   `json:"event"`   // "step"
	Restart    int      `json:"restart"` // from 1
	Restarts   int      `json:"restarts"`
	Factor     int      `json:"factor"` // factors finished
	Rank       int      `json:"rank"`
	Iteration  int      `json:"iteration"`
	Iterations int      `json:"iterations"` // at most, of the block
	Error      *float64 `json:"relative_error"`
	Elapsed    float64  `json:"elapsed"`   // seconds
	Remaining  *float64 `json:"remaining"` // seconds, an estimate
}

// ending is the last line of JSON of a run that has ended by itself.
type ending struct {
	Schema string       `json:"schema"`
	Event  string       `json:"event"` // "end"
	Stop   outcome.Stop `json:"stop"`
	Error  *float64     `json:"relative_error"`
	Out    string       `json:"out,omitempty"`
}

// finite returns &x, or nil if x is NaN or infinite: JSON has no such numbers.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Show shows a state of the run.
func (s *Steps) Show(p lnmu.Progress) {
	if s.json == nil {
		s.line.Show(p)
		return
	}
	if p.Rank == 0 { // a comparison of runs
		p.RelativeError = math.NaN()
	}
	remaining := math.Inf(1) // before anything is done
	if p.Remaining >= 0 {
		remaining = p.Remaining.Seconds()
	}
	s.json.Encode(Step{
		Schema: Schema, Event: "step", Restart: p.Restart, Restarts: p.Restarts, Factor: p.Factor, Rank: p.Rank,
		Iteration: p.Iteration, Iterations: p.Iterations, Error: finite(p.RelativeError),
		Elapsed: p.Elapsed.Seconds(), Remaining: finite(remaining),
	})
}

// longRun is the delay after which a note says how long several runs take.
const longRun = 2 * time.Second

// Several returns a Show for runs that were not asked for. If they are several, it says so on c when the work begins, and how
// long they take once that is known.
func (s *Steps) Several(c *message.Console, runs int) func(lnmu.Progress) {
	begun, timed := runs < 2, runs < 2
	return func(p lnmu.Progress) {
		if !begun {
			begun = true
			c.Note("nmu makes %d runs from different starts and keeps the best; --restarts 1 makes one", runs)
		}
		if !timed && p.Elapsed >= longRun && p.Remaining >= 0 {
			timed = true
			s.Clear()
			c.Note("the %d runs take about %v", runs, (p.Elapsed + p.Remaining).Round(time.Second))
		}
		s.Show(p)
	}
}

// Clear removes the status line, if there is one.
func (s *Steps) Clear() { s.line.Clear() }

// End shows how a run has ended.
func (s *Steps) End(stop outcome.Stop, relativeError float64, out string) {
	if s.json != nil {
		s.json.Encode(ending{Schema: Schema, Event: "end", Stop: stop, Error: finite(relativeError), Out: out})
	}
}

// Line is a status line that is overwritten in place on a terminal.
// If the output is no terminal, Line writes nothing.
type Line struct {
	out    io.Writer // nil: silent
	Prefix string    // of every text
	shown  bool
}

// NewLine returns a status line on w if that is a terminal, and a silent one if not.
func NewLine(w io.Writer) *Line {
	if IsTerminal(w) {
		return &Line{out: behind(w)} // which it commands
	}
	return &Line{}
}

// behind returns the writer that a screen prints to, or w if w is no screen.
func behind(w io.Writer) io.Writer {
	if s, ok := w.(*render.Screen); ok {
		return s.Out
	}
	return w
}

// IsTerminal reports whether w prints to a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := behind(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Show replaces the line by the state p.
func (l *Line) Show(p lnmu.Progress) { l.Say(statusText(p)) }

// Say replaces the line.
func (l *Line) Say(text string) {
	if l.out == nil {
		return
	}
	l.shown = true
	fmt.Fprintf(l.out, "\r\x1b[K%s%s", l.Prefix, render.Printable(text))
}

// Clear removes the line.
func (l *Line) Clear() {
	if l.shown {
		fmt.Fprint(l.out, "\r\x1b[K")
		l.shown = false
	}
}

// statusText describes a state in less than 80 columns.
func statusText(p lnmu.Progress) string {
	if p.Rank == 0 { // a comparison of runs
		return fmt.Sprintf("run %d/%d  %s left", p.Restart, p.Restarts, p.Remaining.Round(time.Second))
	}
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if p.Restarts > 1 {
		add("restart %d/%d", p.Restart, p.Restarts)
	}
	add("factor %d/%d", min(p.Factor+1, p.Rank), p.Rank)
	add("iteration %d/%d", p.Iteration, p.Iterations)
	add("error %s", render.Percent(p.RelativeError))
	add("%s left", p.Remaining.Round(time.Second))
	return strings.Join(parts, "  ")
}
