//go:build browser

package browser

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"nmu/internal/must"
)

// Tab is Chromium with one page open, and what that had to complain about.
type Tab struct {
	context.Context
	T          *testing.T
	mu         sync.Mutex
	complaints []string
	requests   []string
}

// Patience is how long a step may take on a machine that is busy.
const Patience = 3 * time.Minute

// New starts Chromium without a window, or skips the test.
func New(t *testing.T, options ...chromedp.ExecAllocatorOption) *Tab {
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("NOT TESTED: not installed: chromium: a browser to open the page in")
	}
	options = append(append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox), options...)
	machine, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	tab, cancel := chromedp.NewContext(machine)
	t.Cleanup(cancel)
	b := &Tab{Context: tab, T: t}
	must.Do(t, chromedp.Listen(tab, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.complaints = append(b.complaints, fmt.Sprintf("%+v", e.ExceptionDetails))
		case *runtime.EventConsoleAPICalled:
			b.complaints = append(b.complaints, string(e.Type))
		case *log.EventEntryAdded:
			b.complaints = append(b.complaints, e.Entry.Text)
		case *network.EventRequestWillBeSent:
			b.requests = append(b.requests, e.Request.URL)
		}
	}))
	Ask(b, network.Enable, network.EnableParams{})
	Ask(b, log.Enable, cdp.Empty{})
	return b
}

// Seen returns what the browser complained about, and the addresses that it asked for, since the last call.
func (b *Tab) Seen() (complaints, requests []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	complaints, requests = b.complaints, b.requests
	b.complaints, b.requests = nil, nil
	return complaints, requests
}

// Ask gives the browser a command of its protocol.
func Ask[P, R any](b *Tab, command cdp.Command[P, R], params P) R {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b, Patience)
	defer cancel()
	return must.Get(chromedp.Call(ctx, command, params))(b.T)
}

// Do carries out what the test asks of the page.
func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b, Patience)
	defer cancel()
	must.Do(b.T, chromedp.Do(ctx, actions...))
}

// Open opens a file.
func (b *Tab) Open(path string) {
	b.T.Helper()
	b.Do(chromedp.Navigate("file://" + filepath.ToSlash(path)))
}

// Did returns what an action does.
func Did[R any](b *Tab, action chromedp.Action[R]) R {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b, Patience)
	defer cancel()
	return must.Get(chromedp.Run(ctx, action))(b.T)
}

// Value returns that of an expression in the page.
func Value[R any](b *Tab, expression string) R {
	b.T.Helper()
	return Did(b, chromedp.Evaluate[R](expression))
}
