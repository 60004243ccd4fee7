//go:build browser

// What drives a browser takes as long to compile as a tenth of the project, so the tag keeps it
// out of `go test ./...`.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/internal/render"
	"nmu/internal/samples"
)

// browser is Chromium with one page open, and what that had to complain about.
type browser struct {
	context.Context
	t          *testing.T
	mu         sync.Mutex
	complaints []string
	requests   []string
}

// newBrowser starts one without a window, or skips the test.
func newBrowser(t *testing.T) *browser {
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("NOT TESTED: not installed: chromium: a browser to open the report in")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox)
	machine, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	tab, cancel := chromedp.NewContext(machine)
	t.Cleanup(cancel)
	b := &browser{Context: tab, t: t}
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
	ask(b, network.Enable, network.EnableParams{})
	ask(b, log.Enable, cdp.Empty{})
	return b
}

// patience is how long a step may take on a machine that is busy.
const patience = 2 * time.Minute

// ask gives the browser a command of its protocol.
func ask[P, R any](b *browser, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b, patience)
	defer cancel()
	return must.Get(chromedp.Call(ctx, command, params))(b.t)
}

// do carries out what the test asks of the page.
func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b, patience)
	defer cancel()
	must.Do(b.t, chromedp.Do(ctx, actions...))
}

// open opens a file.
func (b *browser) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate("file://" + filepath.ToSlash(path)))
}

// did returns what an action does.
func did[T any](b *browser, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b, patience)
	defer cancel()
	return must.Get(chromedp.Run(ctx, action))(b.t)
}

// value returns that of an expression in the page.
func value[T any](b *browser, expression string) T {
	b.t.Helper()
	return did(b, chromedp.Evaluate[T](expression))
}

// columnsShown returns what the controls of single columns show, of canvas, curves or bars.
const columnsShown = `[...document.querySelectorAll('#steps-panels canvas')].map(c => c.toDataURL()).join() + document.querySelector('#steps-panels').innerHTML`

// quickly makes the time between two steps of a page short.
const quickly = `{ const wait = setInterval; setInterval = (step, time) => wait(step, time / 50); }`

// A report is opened from its file without a complaint and without a request; its
// numbers are those of result.json; the slider and the choice of a column, by keys,
// change what is shown, and say it.
func TestReportInBrowser(t *testing.T) {
	b := newBrowser(t)
	var table, names strings.Builder
	for i := range 40 {
		fmt.Fprintf(&table, "%d", 400+10*i)
		fmt.Fprintf(&names, "word <b>%d</b>", i)
		for j := range 12 {
			x := math.Exp(-math.Pow(float64(i-3*j)/4, 2)) + math.Exp(-math.Pow(float64(i-20)/9, 2))
			fmt.Fprintf(&table, ",%.4f", x)
			fmt.Fprintf(&names, ",%.4f", x)
		}
		table.WriteString("\n")
		names.WriteString("\n")
	}
	data := t.TempDir()
	must.Do(t, samples.Ground(data))
	pages := must.Get(filepath.Glob("../../docs/*.md"))(t)
	words := "word," + strings.Join(pages, ",") + "\n"
	for _, word := range strings.Fields("matrix factor error rank sparse missing memory threads file method") {
		words += word
		for _, page := range pages {
			words += fmt.Sprintf(",%d", strings.Count(readText(t, page), word))
		}
		words += "\n"
	}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"faces", []string{"--var", "X", "--image", "19x19", "--rank", "49", "--restarts", "1", "--iterations", "20"}}, // of the paper's data
		{"cube", []string{filepath.Join(data, "ground.hdr"), "--rank", "5", "--restarts", "1"}},
		{"texts", []string{textFile(t, "words.csv", words), "--rank", "6", "--restarts", "1"}},
		{"pictures", []string{swimmerFile(t, false), "--image", "20x11", "--rank", "6", "--restarts", "1", "--iterations", "30"}},
		{"curves", []string{textFile(t, "curves.csv", table.String()), "--row-labels", "yes", "--rank", "4", "--restarts", "1"}},
		{"bars", []string{textFile(t, "bars.csv", names.String()), "--rank", "4", "--restarts", "1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.t, b.complaints, b.requests = t, nil, nil
			if c.name == "faces" {
				c.args = append(c.args, realData(t, "CBCL.mat"))
			}
			dir := filepath.Join(t.TempDir(), "out")
			succeed(t, append([]string{"factor", "--method", "rnmu", "--report", "--out", dir}, c.args...)...)
			rep := parsed[record.Factor](t, readText(t, dir, record.NameResult))
			b.open(filepath.Join(dir, record.NameReport))

			got := value[[]float64](b, `[...document.querySelectorAll('.keys data')].map(d => Number(d.value))`)
			if want := []float64{rep.RelativeError, rep.RelativeViolation, rep.SparsityV, rep.SparsityW}; !slices.Equal(got, want) {
				t.Errorf("the figures are %v, want %v", got, want)
			}
			got = value[[]float64](b, `[...document.querySelectorAll('data.error-at')].map(d => Number(d.value))`)
			if !slices.Equal(got, errorsOf(rep)) {
				t.Errorf("the errors are %v, want %v", got, errorsOf(rep))
			}
			if n := value[int](b, `document.querySelectorAll('#parts .cards figure').length`); n != rep.Rank {
				t.Errorf("%d parts are shown, want %d", n, rep.Rank)
			}
			if n := value[int](b, `[...document.images].filter(i => !i.naturalWidth).length`); n != 0 {
				t.Errorf("%d pictures are broken", n)
			}

			if value[bool](b, `document.getElementById('steps-still').offsetHeight > 0`) {
				t.Error("the frames for those without script are shown with one")
			}
			seen := map[string]bool{value[string](b, columnsShown): true}
			b.do(chromedp.Focus(chromedp.CSS("#steps-k")))
			for k := rep.Rank - 1; k >= 0; k-- {
				b.do(chromedp.KeyEvent(kb.ArrowLeft))
				seen[value[string](b, columnsShown)] = true
				says := strings.ReplaceAll(value[string](b, `document.getElementById('steps-says').textContent`), "\u00a0", " ")
				if k > 0 && !strings.Contains(says, "of all of M "+render.Percent(rep.Blocks[k-1].Error)) {
					t.Errorf("with %d parts it says %q, want %s", k, says, render.Percent(rep.Blocks[k-1].Error))
				}
			}
			if len(seen) < 3 { // a part that is not in the column changes nothing
				t.Errorf("the slider shows %d pictures for 0 to %d parts", len(seen), rep.Rank)
			}
			b.do(chromedp.Focus(chromedp.CSS("#steps-column")), chromedp.KeyEvent(kb.End))
			other := value[string](b, columnsShown)
			if seen[other] && c.name != "pictures" { // without a part only M changes
				t.Error("another column shows the same")
			}
			b.do(chromedp.Evaluate[chromedp.Void](quickly))
			b.do(chromedp.Click(chromedp.CSS("#steps-play")), chromedp.Poll[chromedp.Void](`Number(document.getElementById('steps-k').value) == `+fmt.Sprint(rep.Rank)))
			if after := value[string](b, columnsShown); after == other {
				t.Error("playing shows nothing new")
			}

			const drawings = `#parts img, #parts svg, #weights img, #weights svg`
			b.do(chromedp.Click(chromedp.CSS(drawings)), chromedp.Poll[chromedp.Void](`document.querySelector('dialog[open] > *').clientHeight > innerHeight / 2`))
			b.do(chromedp.Click(chromedp.CSS("dialog")), chromedp.Poll[chromedp.Void](`!document.querySelector('dialog[open]')`))
			b.do(chromedp.Focus(chromedp.CSS(drawings)), chromedp.KeyEvent(kb.Enter), chromedp.Poll[chromedp.Void](`document.querySelector('dialog[open]')`))
			b.do(chromedp.KeyEvent(kb.Escape), chromedp.Poll[chromedp.Void](`!document.querySelector('dialog[open]')`))
			if hidden := value[int](b, `[...document.querySelectorAll('.drawing path[fill="#56b4e9"]')].filter(e => getComputedStyle(e).fill == 'none').length`); hidden != 0 {
				t.Errorf("%d profiles have no bars", hidden)
			}

			if len(b.complaints) > 0 {
				t.Errorf("the browser complains: %v", b.complaints)
			}
			for _, url := range b.requests {
				if !strings.HasPrefix(url, "file://") && !strings.HasPrefix(url, "data:") {
					t.Errorf("the page asks for %s", url)
				}
			}
			b.accessible(t)
			b.looks(t, filepath.Join(dir, record.NameReport))
		})
	}
}

// accessible checks what those hear who do not see the page.
func (b *browser) accessible(t *testing.T) {
	t.Helper()
	text := func(v *accessibility.Value) (s string) {
		if v != nil {
			json.Unmarshal(v.Value, &s)
		}
		return s
	}
	found := map[string]bool{}
	for _, n := range ask(b, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
		role, name := text(n.Role), text(n.Name)
		found[role+" "+name] = true
		if (role == "image" || role == "img" || role == "slider" || role == "button" || role == "combobox") && name == "" && !n.Ignored {
			t.Errorf("a %s without a name", role)
		}
	}
	for _, want := range []string{"slider Parts", "combobox Column of M", "button Play", "heading The parts", "navigation Sections"} {
		if !found[want] {
			t.Errorf("there is no %s", want)
		}
	}
}

// looks checks the page in the dark, on a phone, on paper and without script.
func (b *browser) looks(t *testing.T, path string) {
	t.Helper()
	const contrast = `(() => {
		const light = c => { const x = c.match(/[0-9.]+/g).slice(0, 3).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * x[0] + .7152 * x[1] + .0722 * x[2] };
		const paper = light(getComputedStyle(document.body).backgroundColor);
		return ['body', 'figcaption', 'small', 'nav a', '.findings'].map(s => { const ink = light(getComputedStyle(document.querySelector(s)).color); return (Math.max(ink, paper) + .05) / (Math.min(ink, paper) + .05) });
	})()`
	dark := `getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).every(v => v < 60)`
	for _, scheme := range []string{"light", "dark"} {
		ask(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		if got := value[bool](b, dark); got != (scheme == "dark") {
			t.Errorf("%s: the page is dark: %v", scheme, got)
		}
		if c := value[[]float64](b, contrast); slices.Min(c) < 4.5 {
			t.Errorf("%s: contrasts %v", scheme, c)
		}
	}
	b.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
	if width := value[int](b, `document.documentElement.scrollWidth`); width > 360 {
		t.Errorf("on a phone of 360 pixels the page is %d wide", width)
	}
	b.do(chromedp.EmulateReset())
	ask(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	if !value[bool](b, `getComputedStyle(document.querySelector('nav')).display == 'none' && document.getElementById('steps-still').offsetHeight > 0`) {
		t.Error("on paper the controls are there, or the frames are not")
	}
	if paper := did(b, chromedp.PrintToPDF()); !strings.HasPrefix(string(paper), "%PDF") {
		t.Errorf("printed are %d bytes", len(paper))
	}
	ask(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	ask(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.open(path)
	if !value[bool](b, `document.getElementById('steps-live').hidden && document.getElementById('steps-still').offsetHeight > 0`) {
		t.Error("without script the frames are not shown, or the controls are")
	}
	if words := value[int](b, `document.body.innerText.split(/\s+/).length`); words < 200 {
		t.Errorf("without script the page has %d words", words)
	}
	ask(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{})
}
