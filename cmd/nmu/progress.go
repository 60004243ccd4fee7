package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"nmu/lnmu"
)

// progressLine is a status line on a terminal that is written again and again.
// On anything else it writes nothing.
type progressLine struct {
	out    io.Writer // nil: silent
	prefix string
	shown  bool
}

func newProgressLine(w io.Writer) *progressLine {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return &progressLine{out: w}
	}
	return &progressLine{}
}

// show replaces the line by a state.
func (l *progressLine) show(p lnmu.Progress) { l.say(statusText(p)) }

// say replaces the line.
func (l *progressLine) say(text string) {
	if l.out == nil {
		return
	}
	l.shown = true
	fmt.Fprintf(l.out, "\r\x1b[K%s%s", l.prefix, text)
}

// clear removes the line.
func (l *progressLine) clear() {
	if l.shown {
		fmt.Fprint(l.out, "\r\x1b[K")
		l.shown = false
	}
}

// statusText describes a state in less than 80 columns.
func statusText(p lnmu.Progress) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if p.Restarts > 1 {
		add("restart %d/%d", p.Restart, p.Restarts)
	}
	add("factor %d/%d", min(p.Factor+1, p.Rank), p.Rank)
	add("iteration %d/%d", p.Iteration, p.Iterations)
	add("error %s", percent(p.RelativeError))
	add("%s left", p.Remaining.Round(time.Second))
	return strings.Join(parts, "  ")
}
