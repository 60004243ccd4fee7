package nmu

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// mostWords is how long README.md may be: a reader has a minute.
const mostWords = 900

// pages returns the paths of all pages, with slashes.
func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.md", "docs/*.md", "python/*.md"} {
		found, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d pages, %v", pattern, len(found), err)
		}
		for _, p := range found {
			all = append(all, filepath.ToSlash(p))
		}
	}
	return all
}

// readPage returns the text of a page, with lines that end alike everywhere.
func readPage(t *testing.T, page string) string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.FromSlash(page)))(t)
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// TestReadmeLength counts the words of README.md, those of tables and programs included.
func TestReadmeLength(t *testing.T) {
	must.AtMost(t, len(strings.Fields(readPage(t, "README.md"))), mostWords, "README.md")
}

var (
	fence    = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	indented = regexp.MustCompile(`(?m)(^ {4}.*\n)+`)
	span     = regexp.MustCompile("`[^`\n]+`")
	link     = regexp.MustCompile(`\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]*)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	address  = regexp.MustCompile(`\bhttps?:[^\s)>]*`)
)

// prose returns a page without its code.
func prose(text string) string {
	text = fence.ReplaceAllString(text, "")
	return indented.ReplaceAllString(text, "\n")
}

// anchors returns the names by which the headings of a page can be reached: small letters,
// hyphens for blanks, no other signs.
func anchors(text string) []string {
	var all []string
	for _, h := range heading.FindAllStringSubmatch(prose(text), -1) {
		name := strings.Map(func(c rune) rune {
			switch {
			case c == ' ':
				return '-'
			case c == '-', c == '_', c >= '0' && c <= '9', c >= 'a' && c <= 'z', c > 0x7f:
				return c
			}
			return -1
		}, strings.ToLower(strings.TrimSpace(h[1])))
		again := 0
		for _, other := range all {
			if other == name {
				again++
			}
		}
		if again > 0 {
			name += fmt.Sprint("-", again)
		}
		all = append(all, name)
	}
	return all
}

// broken returns what is wrong with a target on a page, or "".
func broken(t *testing.T, page, target string) string {
	u, err := url.Parse(target)
	switch {
	case err != nil:
		return err.Error()
	case u.Scheme != "":
		if u.Scheme != "https" || !strings.Contains(u.Host, ".") || u.User != nil {
			return "is no address of the form https://host/path"
		}
		return ""
	case path.IsAbs(u.Path) || u.Host != "" || u.RawQuery != "":
		return "is no relative path"
	}
	to := page
	if u.Path != "" {
		to = path.Join(path.Dir(page), u.Path)
	}
	info, err := os.Stat(filepath.FromSlash(to))
	switch {
	case err != nil || to == ".." || strings.HasPrefix(to, "../"):
		return fmt.Sprintf("there is no %s in the project", to)
	case u.Fragment == "":
		return ""
	case info.IsDir() || path.Ext(to) != ".md":
		return fmt.Sprintf("%s has no headings", to)
	case !slices.Contains(anchors(readPage(t, to)), u.Fragment):
		return fmt.Sprintf("%s has no heading #%s, but %q", to, u.Fragment, anchors(readPage(t, to)))
	}
	return ""
}

// TestLinks resolves every link of every page. Every page in docs is on the list of pages,
// and every picture there is shown or linked.
func TestLinks(t *testing.T) {
	linked := map[string]bool{} // by the path of the target
	listed := map[string]bool{} // by docs/README.md
	count := 0
	for _, page := range pages(t) {
		text := prose(readPage(t, page))
		for _, a := range address.FindAllString(text, -1) {
			must.Equal(t, broken(t, page, strings.TrimRight(a, ".,;:")), "", page, a)
		}
		for _, l := range link.FindAllStringSubmatch(span.ReplaceAllString(text, "code"), -1) {
			count++
			must.Equal(t, broken(t, page, l[1]), "", page, l[0])
			file, _, _ := strings.Cut(l[1], "#")
			to := path.Join(path.Dir(page), file)
			linked[to] = true
			listed[to] = listed[to] || page == "docs/README.md"
		}
	}
	must.AtLeast(t, count, 50, "links in all: this test does not see them")
	for _, page := range pages(t) {
		if page != "docs/README.md" && !listed[page] {
			t.Errorf("docs/README.md does not list %s", page)
		}
	}
	err := fs.WalkDir(os.DirFS("."), "docs", func(file string, _ fs.DirEntry, err error) error {
		if ext := path.Ext(file); (ext == ".png" || ext == ".svg") && !linked[file] {
			t.Errorf("no page shows %s", file)
		}
		return err
	})
	must.Equal(t, err, nil)
}

// TestBroken: a link that leads nowhere is found.
func TestBroken(t *testing.T) {
	for _, target := range []string{
		"docs/none.md", "docs/rank.md#none", "#none", "docs#rank", "LICENSE#top", "../README.md", "/README.md",
		"http://semver.org", "https://", "https://nowhere/x", "file:///README.md", "docs/rank.md?x=1", "%zz",
	} {
		if broken(t, "README.md", target) == "" {
			t.Errorf("%s is taken for a link", target)
		}
	}
	for _, target := range []string{"docs/rank.md", "docs/rank.md#how-to-read-it", "#which-method", "docs", "https://semver.org", "blas/../README.md"} {
		must.Equal(t, broken(t, "README.md", target), "", target)
	}
}

// TestFuzzTargets: SECURITY.md lists the fuzz targets that there are.
func TestFuzzTargets(t *testing.T) {
	var named, there []string
	for _, name := range regexp.MustCompile("`(Fuzz[A-Za-z]+)`").FindAllStringSubmatch(readPage(t, "SECURITY.md"), -1) {
		named = append(named, name[1])
	}
	target := regexp.MustCompile(`(?m)^func (Fuzz[A-Za-z]+)\(`)
	err := filepath.WalkDir(".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(file)
		for _, name := range target.FindAllSubmatch(text, -1) {
			there = append(there, string(name[1]))
		}
		return err
	})
	slices.Sort(named)
	slices.Sort(there)
	if err != nil || !slices.Equal(named, there) {
		t.Errorf("SECURITY.md has the targets\n%q\nthere are\n%q, %v", named, there, err)
	}
}

// readmeCommands returns the command lines of README.md: its indented lines but for the
// table of the demo.
func readmeCommands(t *testing.T) []string {
	var lines []string
	for _, block := range indented.FindAllString(fence.ReplaceAllString(readPage(t, "README.md"), ""), -1) {
		if strings.HasPrefix(block, "    method ") {
			continue
		}
		for line := range strings.Lines(block) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if len(lines) < 5 {
		t.Fatalf("README.md has the commands %q", lines)
	}
	return lines
}

// copyTree copies the project to a folder, without what git ignores and its own folder.
func copyTree(t *testing.T, to string) {
	t.Helper()
	ignored := regexp.MustCompile(`^(\.git|.*-out|dist|lib|nmu)$`)
	must.Do(t, fs.WalkDir(os.DirFS("."), ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || file == ".":
			return err
		case ignored.MatchString(file) && entry.IsDir():
			return fs.SkipDir
		case ignored.MatchString(file):
			return nil
		case entry.IsDir():
			return os.Mkdir(filepath.Join(to, file), 0o777)
		case !entry.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, file), text, info.Mode().Perm())
	}))
}

// TestReadmeCommands runs the commands of README.md, as they are written there, in a copy of
// the project, beside a file of faces as the reader has one. What they install stays in
// folders of the test.
func TestReadmeCommands(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("it builds everything anew: with NMU_FULL only")
	}
	if runtime.GOOS != "linux" {
		t.Skipf("NOT TESTED: commands for Linux, which cannot be used on this machine, %s", runtime.GOOS)
	}
	goTool(t) // or skips
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skipf("NOT TESTED: bash is not installed: %v", err)
	}
	dir, python, library := t.TempDir(), t.TempDir(), t.TempDir()
	copyTree(t, dir)
	const pixels, faces = 19 * 19, 60
	data := make([]float64, pixels*faces)
	for i := range data {
		data[i] = float64(i*i%11) / 10
	}
	must.Do(t, matiotest.WriteMat(filepath.Join(dir, "faces.mat"), matio.Variable[float64]{Name: "X", Labelled: matio.Labelled[float64]{Rows: pixels, Cols: faces, Data: data, Stride: faces}}))
	run := func(command string) (string, error) {
		cmd := exec.Command(bash, "-e", "-o", "pipefail", "-c", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOPROXY=off", "GOSUMDB=off", "GOWORK=off",
			"PIP_TARGET="+python, "PIP_NO_DEPS=1", "PIP_NO_INDEX=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "R_LIBS="+library)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	needs := []struct{ part, probe, program string }{
		{"python/build", `"${NMU_PYTHON:-python3}" -c 'import build, numpy, setuptools, wheel' && command -v pip && command -v "$(go env CC)"`, "a C compiler, or a Python with pip, build, numpy, setuptools and wheel,"},
		{"R CMD", `command -v R && command -v "$(go env CC)"`, "a C compiler, or R,"},
	}
	leaves := map[string][]string{ // files of a command that contains a text
		"go build":     {filepath.Join(dir, "nmu")},
		"nmu factor":   nil,
		"python/build": {filepath.Join(python, "nmu", "libnmu.so")},
		"R CMD":        {filepath.Join(library, "nmu", "DESCRIPTION")},
	}
	for _, name := range []string{"V.npy", "W.npy", "result.json", "basis.png", "report.html"} {
		must.Say(t, readPage(t, "README.md"), name)
		leaves["nmu factor"] = append(leaves["nmu factor"], filepath.Join(dir, "faces-out", name))
	}
	here := false
	for _, command := range readmeCommands(t) {
		if command == "go test ./..." {
			here = true // it is what runs this test
			continue
		}
		t.Run(command, func(t *testing.T) {
			for _, n := range needs {
				if strings.Contains(command, n.part) {
					if out, err := run(n.probe); err != nil {
						t.Skipf("NOT TESTED: %s is not installed: %v\n%s", n.program, err, out)
					}
				}
			}
			out, err := run(command)
			if err != nil && strings.Contains(out, "GOPROXY=off") {
				t.Skipf("NOT TESTED: the modules that it needs cannot be used on this machine:\n%s", out)
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for part, files := range leaves {
				if !strings.Contains(command, part) {
					continue
				}
				delete(leaves, part)
				for _, file := range files {
					if _, err := os.Stat(file); err != nil {
						t.Errorf("it has not written %s:\n%s", file, out)
					}
				}
			}
		})
	}
	if !here {
		t.Error("README.md does not say go test ./...")
	}
	for part := range leaves {
		if slices.ContainsFunc(readmeCommands(t), func(c string) bool { return strings.Contains(c, part) }) {
			continue // it was left out, or has failed
		}
		t.Errorf("README.md has no command with %s", part)
	}
}
