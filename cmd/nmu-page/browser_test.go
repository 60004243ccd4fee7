//go:build browser

package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	chrome "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"nmu/cmd/internal/browser"
	"nmu/internal/must"
	"nmu/internal/samples"
)

// tab is Chromium with the page open.
type tab struct{ *browser.Tab }

// await waits until an expression in the page is true.
func (b tab) await(expression string) {
	b.T.Helper()
	browser.Did(b.Tab, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(browser.Patience)))
}

// rest waits until nothing runs.
func (b tab) rest() {
	b.await(`document.getElementById('stop').hidden && !document.getElementById('start').disabled`)
}

// set fills in a field.
func (b tab) set(id, text string) {
	b.T.Helper()
	browser.Value[string](b.Tab, fmt.Sprintf(`document.getElementById(%q).value = %q`, id, text))
}

func (b tab) text(id string) string {
	b.T.Helper()
	return browser.Value[string](b.Tab, fmt.Sprintf(`document.getElementById(%q).textContent`, id))
}

func (b tab) click(selector string) {
	b.T.Helper()
	browser.Did(b.Tab, chromedp.Click(chromedp.CSS(selector)))
}

// drop drops files on the page, and waits until they are read.
func (b tab) drop(paths ...string) {
	b.T.Helper()
	for _, event := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		browser.Ask(b.Tab, input.DispatchDragEvent, input.DispatchDragEventParams{Type: event, X: 100, Y: 300, Data: &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1}})
	}
	b.rest()
}

// open opens the page that $NMU_PAGE names, or a new one. A page that runs nothing from outside has no console
// messages and asks for no addresses but those of its own parts.
func open(t *testing.T) tab {
	b := tab{browser.New(t, chromedp.WindowSize(1100, 1500))}
	path := os.Getenv("NMU_PAGE")
	if path == "" {
		path = filepath.Join(t.TempDir(), "nmu.html")
		must.Do(t, write(path))
	}
	must.AtMost(t, must.Get(os.Stat(path))(t).Size(), 8.2e6, "the page")
	b.Open(path)
	t.Cleanup(func() {
		complaints, requests := b.Seen()
		must.AtMost(t, len(complaints), 0, "the browser complains")
		for _, url := range requests {
			if !strings.HasPrefix(url, "file://") && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "blob:") && url != "about:srcdoc" {
				t.Errorf("the page asks for %s", url)
			}
		}
	})
	return b
}

// TestPage: files of four fields are dropped, factored and saved, with the bytes that the command writes on this
// machine; its errors are those of the command; a run can be stopped; and nothing is loaded.
func TestPage(t *testing.T) {
	b := open(t)
	dir := t.TempDir()
	nmu := filepath.Join(dir, "nmu")
	out, err := exec.Command("go", "build", "-o", nmu, command).CombinedOutput()
	must.Do(t, err, string(out))
	host := func(t *testing.T, args ...string) (string, error) {
		c := exec.Command(nmu, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		return string(out), err
	}
	file := func(name, text string) string {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
		return filepath.Join(dir, name)
	}
	var counts, spectra strings.Builder
	counts.WriteString("%%MatrixMarket matrix coordinate integer general\n60 40 600\n")
	for i := range 600 {
		fmt.Fprintln(&counts, i%60+1, (i*7+i/60*3)%40+1, i%9+1)
	}
	for i := range 40 {
		fmt.Fprint(&spectra, 400+10*i)
		for j := range 12 {
			fmt.Fprintf(&spectra, ",%.4f", math.Exp(-math.Pow(float64(i-3*j)/4, 2))+math.Exp(-math.Pow(float64(i-20)/9, 2)))
		}
		fmt.Fprintln(&spectra)
	}
	must.Do(t, samples.Swimmer(dir))
	pictures := must.Get(filepath.Glob(filepath.Join(dir, "swimmer", "0[0-3]*.png")))(t)
	must.Do(t, os.Mkdir(filepath.Join(dir, "input"), 0o777))
	for _, p := range pictures {
		must.Do(t, os.Link(p, filepath.Join(dir, "input", filepath.Base(p))))
	}
	saved := t.TempDir()
	browser.Ask(b.Tab, chrome.SetDownloadBehavior, chrome.SetDownloadBehaviorParams{Behavior: chrome.SetDownloadBehaviorBehaviorAllow, DownloadPath: saved})
	for _, c := range []struct {
		name         string
		files        []string
		argument     string
		method, rank string
		more         string
	}{
		{"faces", []string{filepath.Join(dir, "faces.npy")}, "faces.npy", "rnmu", "6", "--image 19x19 --iterations 10 --restarts 1"},
		{"counts", []string{file("counts.mtx", counts.String())}, "counts.mtx", "kl", "3", "--restarts 2"},
		{"spectra", []string{file("spectra.csv", spectra.String())}, "spectra.csv", "gnmu", "4", "--row-labels 'yes' --restarts 1 --write npy"},
		{"pictures", pictures, "input", "nmf", "5", "--restarts 1 --iterations 50"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "faces" {
				said, err := host(t, "convert", must.PaperFile(t, "CBCL.mat"), "faces.npy", "--var", "X")
				must.Do(t, err, said)
			}
			b.T = t
			b.drop(c.files...)
			must.Equal(t, b.text("read"), must.Get(host(t, "look", c.argument))(t), "the page says that it reads")
			b.set("method", c.method)
			if c.name == "spectra" {
				b.set("ranks", "1:2")
				b.click("#advise")
				b.rest()
				if said := b.text("said"); !strings.Contains(said, "held-out error") {
					t.Errorf("the advice is %q", said)
				}
			}
			b.set("rank", c.rank)
			b.set("more", c.more)
			b.click("#start")
			b.rest()
			args := append([]string{"factor", c.argument, "--method", c.method, "--rank", c.rank, "--out", c.name}, strings.Fields(strings.ReplaceAll(c.more, "'", ""))...)
			if said, err := host(t, args...); err != nil {
				t.Fatal(said)
			}
			for _, name := range []string{"V.npy", "W.npy"} {
				path := filepath.Join(saved, name)
				os.Remove(path)
				b.click(fmt.Sprintf(`a[download=%q]`, name))
				want := must.Get(os.ReadFile(filepath.Join(dir, c.name, name)))(t)
				var got []byte
				for begin := time.Now(); len(got) < len(want) && time.Since(begin) < browser.Patience; time.Sleep(50 * time.Millisecond) {
					got, _ = os.ReadFile(path)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s differs from that of the command (%d and %d bytes): %s", name, len(got), len(want), b.text("said"))
				}
			}
			if report := browser.Value[string](b.Tab, `document.getElementById('report').srcdoc`); !strings.Contains(report, "</html>") || !browser.Value[bool](b.Tab, `document.getElementById('report').offsetHeight > 300`) {
				t.Errorf("the report has %d bytes, or is not shown", len(report))
			}
		})
	}

	for _, c := range []struct{ name, text string }{
		{"words.csv", "1,2\n3,four\n"},
		{"short.npy", "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (900000, 900000), }" + strings.Repeat(" ", 48) + "\n"},
		{"-negative.csv", "1,2\n3,-4\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.T = t
			b.drop(file(c.name, c.text))
			b.set("rank", "1")
			b.set("more", "")
			b.click("#start")
			b.rest()
			want, err := host(t, "factor", strings.Replace(c.name, "-", "./-", 1), "--method", "nmf", "--rank", "1", "--out", "refused")
			if got := b.text("said"); err == nil || got != want || !browser.Value[bool](b.Tab, `document.getElementById('said').classList.contains('failed') && document.getElementById('results').hidden`) {
				t.Errorf("the page says %q, the command %q", got, want)
			}
		})
	}

	t.Run("large", func(t *testing.T) { // 3.2 GB that share 16 MB
		b.T = t
		browser.Value[bool](b.Tab, `(() => {
			const part = new Blob([new Uint8Array(16e6)]), header = "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (20000, 20000), }".padEnd(127) + "\n";
			take([new File([Uint8Array.from(header, (c) => c.charCodeAt(0)), ...Array(200).fill(part)], "large.npy")]);
			return true;
		})()`)
		b.rest()
		must.Equal(t, b.text("read"), "3200 MB are not looked at before the run.", "of a large file the page says")
		b.click("#start")
		b.rest()
		if said := b.text("said"); !strings.Contains(said, "GB") || !strings.Contains(said, "memory") {
			t.Errorf("of a file that does not fit the page says %q", said)
		}
	})

	t.Run("swimmer", func(t *testing.T) {
		b.T = t
		began := time.Now()
		b.click("#example")
		b.rest()
		b.set("method", "rnmu")
		b.set("rank", "8")
		b.set("more", "--image 20x11 --restarts 1")
		b.click("#start")
		b.rest()
		if b.await(`!document.getElementById('report').hidden`); b.text("said") == "" {
			t.Error("of a run on the swimmer set the page says nothing")
		}
		t.Logf("the report is shown after %.1f s", time.Since(began).Seconds())
		if path := os.Getenv("NMU_PAGE_PICTURE"); path != "" { // of docs/page.md
			browser.Value[bool](b.Tab, `(document.getElementById('line').scrollIntoView(), true)`)
			time.Sleep(2 * time.Second)
			must.Do(t, os.WriteFile(path, browser.Did(b.Tab, chromedp.CaptureScreenshot()), 0o666))
		}
	})

	t.Run("stop", func(t *testing.T) {
		b.T = t
		b.click("#example")
		b.rest()
		b.set("method", "rnmu")
		b.set("rank", "17")
		b.set("more", "--image 20x11 --restarts 1 --iterations 400")
		b.click("#start")
		b.await(`/ [1-9] of 17 factors/.test(document.getElementById('state').textContent)`)
		b.click("#stop")
		b.rest()
		if said := b.text("said"); !strings.Contains(said, "interrupted") || browser.Value[int](b.Tab, `document.querySelectorAll('#files a').length`) < 3 {
			t.Errorf("after a stop the page says %q", said)
		}
		b.click("#start")
		b.await(`document.getElementById('state').textContent.startsWith('Restart')`)
		browser.Value[bool](b.Tab, `(stop(), stop(), true)`)
		b.rest()
		if said := b.text("said"); !strings.Contains(said, "nothing is kept") {
			t.Errorf("after two the page says %q", said)
		}
	})
}
