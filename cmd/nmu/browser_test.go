//go:build browser

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"nmu/cmd/internal/browser"
	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/internal/render"
	"nmu/internal/samples"
)

// columnsShown returns what the controls of single columns show, of canvas, curves or bars.
const columnsShown = `[...document.querySelectorAll('#steps-panels canvas')].map(c => c.toDataURL()).join() + document.querySelector('#steps-panels').innerHTML`

// quickly makes the time between two steps of a page short.
const quickly = `{ const wait = setInterval; setInterval = (step, time) => wait(step, time / 50); }`

// A report is opened from its file without a complaint and without a request; its
// numbers are those of result.json; the slider and the choice of a column, by keys,
// change what is shown, and say it.
func TestReportInBrowser(t *testing.T) {
	b := browser.New(t)
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
			b.T = t
			b.Seen()
			if c.name == "faces" {
				c.args = append(c.args, must.PaperFile(t, "CBCL.mat"))
			}
			dir := filepath.Join(t.TempDir(), "out")
			succeed(t, append([]string{"factor", "--method", "rnmu", "--report", "--out", dir}, c.args...)...)
			rep := parsed[record.Factor](t, readText(t, dir, record.NameResult))
			b.Open(filepath.Join(dir, record.NameReport))

			got := browser.Value[[]float64](b, `[...document.querySelectorAll('.keys data')].map(d => Number(d.value))`)
			must.EqualSlices(t, got, []float64{rep.RelativeError, rep.RelativeViolation, rep.SparsityV, rep.SparsityW}, "the figures")
			got = browser.Value[[]float64](b, `[...document.querySelectorAll('data.error-at')].map(d => Number(d.value))`)
			must.EqualSlices(t, got, errorsOf(rep), "the errors")
			must.Equal(t, browser.Value[int](b, `document.querySelectorAll('#parts .cards figure').length`), rep.Rank, "parts are shown")
			must.Equal(t, browser.Value[int](b, `[...document.images].filter(i => !i.naturalWidth).length`), 0, "pictures are broken")

			if browser.Value[bool](b, `document.getElementById('steps-still').offsetHeight > 0`) {
				t.Error("the frames for those without script are shown with one")
			}
			seen := map[string]bool{browser.Value[string](b, columnsShown): true}
			b.Do(chromedp.Focus(chromedp.CSS("#steps-k")))
			for k := rep.Rank - 1; k >= 0; k-- {
				b.Do(chromedp.KeyEvent(kb.ArrowLeft))
				seen[browser.Value[string](b, columnsShown)] = true
				says := strings.ReplaceAll(browser.Value[string](b, `document.getElementById('steps-says').textContent`), "\u00a0", " ")
				if k > 0 && !strings.Contains(says, "of all of M "+render.Percent(rep.Blocks[k-1].Error)) {
					t.Errorf("with %d parts it says %q, want %s", k, says, render.Percent(rep.Blocks[k-1].Error))
				}
			}
			if len(seen) < 3 { // a part that is not in the column changes nothing
				t.Errorf("the slider shows %d pictures for 0 to %d parts", len(seen), rep.Rank)
			}
			b.Do(chromedp.Focus(chromedp.CSS("#steps-column")), chromedp.KeyEvent(kb.End))
			other := browser.Value[string](b, columnsShown)
			if seen[other] && c.name != "pictures" { // without a part only M changes
				t.Error("another column shows the same")
			}
			b.Do(chromedp.Evaluate[chromedp.Void](quickly))
			b.Do(chromedp.Click(chromedp.CSS("#steps-play")), chromedp.Poll[chromedp.Void](`Number(document.getElementById('steps-k').value) == `+fmt.Sprint(rep.Rank)))
			if after := browser.Value[string](b, columnsShown); after == other {
				t.Error("playing shows nothing new")
			}

			const drawings = `#parts img, #parts svg, #weights img, #weights svg`
			b.Do(chromedp.Click(chromedp.CSS(drawings)), chromedp.Poll[chromedp.Void](`document.querySelector('dialog[open] > *').clientHeight > innerHeight / 2`))
			b.Do(chromedp.Click(chromedp.CSS("dialog")), chromedp.Poll[chromedp.Void](`!document.querySelector('dialog[open]')`))
			b.Do(chromedp.Focus(chromedp.CSS(drawings)), chromedp.KeyEvent(kb.Enter), chromedp.Poll[chromedp.Void](`document.querySelector('dialog[open]')`))
			b.Do(chromedp.KeyEvent(kb.Escape), chromedp.Poll[chromedp.Void](`!document.querySelector('dialog[open]')`))
			must.Equal(t, browser.Value[int](b, `[...document.querySelectorAll('.drawing path[fill="#56b4e9"]')].filter(e => getComputedStyle(e).fill == 'none').length`), 0, "profiles have no bars")

			complaints, requests := b.Seen()
			must.AtMost(t, len(complaints), 0, "the browser complains")
			for _, url := range requests {
				if !strings.HasPrefix(url, "file://") && !strings.HasPrefix(url, "data:") {
					t.Errorf("the page asks for %s", url)
				}
			}
			accessible(t, b)
			looks(t, b, filepath.Join(dir, record.NameReport))
		})
	}
}

// accessible checks what those hear who do not see the page.
func accessible(t *testing.T, b *browser.Tab) {
	t.Helper()
	text := func(v *accessibility.Value) (s string) {
		if v != nil {
			json.Unmarshal(v.Value, &s)
		}
		return s
	}
	found := map[string]bool{}
	for _, n := range browser.Ask(b, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
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
func looks(t *testing.T, b *browser.Tab, path string) {
	t.Helper()
	const contrast = `(() => {
		const light = c => { const x = c.match(/[0-9.]+/g).slice(0, 3).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * x[0] + .7152 * x[1] + .0722 * x[2] };
		const paper = light(getComputedStyle(document.body).backgroundColor);
		return ['body', 'figcaption', 'small', 'nav a', '.findings'].map(s => { const ink = light(getComputedStyle(document.querySelector(s)).color); return (Math.max(ink, paper) + .05) / (Math.min(ink, paper) + .05) });
	})()`
	dark := `getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).every(v => v < 60)`
	for _, scheme := range []string{"light", "dark"} {
		browser.Ask(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		must.Equal(t, browser.Value[bool](b, dark), scheme == "dark", scheme, "the page is dark")
		if c := browser.Value[[]float64](b, contrast); slices.Min(c) < 4.5 {
			t.Errorf("%s: contrasts %v", scheme, c)
		}
	}
	b.Do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
	must.AtMost(t, browser.Value[int](b, `document.documentElement.scrollWidth`), 360, "on a phone of 360 pixels the page")
	b.Do(chromedp.EmulateReset())
	browser.Ask(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	if !browser.Value[bool](b, `getComputedStyle(document.querySelector('nav')).display == 'none' && document.getElementById('steps-still').offsetHeight > 0`) {
		t.Error("on paper the controls are there, or the frames are not")
	}
	if paper := browser.Did(b, chromedp.PrintToPDF()); !strings.HasPrefix(string(paper), "%PDF") {
		t.Errorf("printed are %d bytes", len(paper))
	}
	browser.Ask(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	browser.Ask(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.Open(path)
	if !browser.Value[bool](b, `document.getElementById('steps-live').hidden && document.getElementById('steps-still').offsetHeight > 0`) {
		t.Error("without script the frames are not shown, or the controls are")
	}
	must.AtLeast(t, browser.Value[int](b, `document.body.innerText.split(/\s+/).length`), 200, "without script the page")
	browser.Ask(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{})
}
