package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/cmd/internal/commandtest"
	"nmu/internal/must"
)

// contains fails the test unless a text has all of the words.
func contains(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		must.Say(t, text, word)
	}
}

// script runs command lines in a new folder, which becomes the working directory, and checks them. A line
// of text is one of these:
//
//	-- NAME CONTENT          a file, in whose content \n ends a line
//	ARGS | CHECK | CHECK     a command line
//	ARGS | refused: W | W    a command line that ends as fails demands, with all the words W
//
// A check is one of these. Without a status, the command must succeed, with notes alone on stderr.
//
//	status: N          the exit status
//	prints: WORDS      stdout contains the words; "prints no: WORDS" demands their absence, also below
//	notes: WORDS       stderr contains them
//	FILE: WORDS        the file contains them
//	FILE same: OTHER   both files have the same bytes
//	folder DIR: NAMES  the folder holds these files alone
func script(t *testing.T, text string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, line := range strings.Split(text, "\n") { // no iterator, whose body would be the place of an error
		line = strings.TrimSpace(line)
		if file, ok := strings.CutPrefix(line, "-- "); ok {
			name, content, _ := strings.Cut(file, " ")
			must.Do(t, os.MkdirAll(filepath.Dir(name), 0o777))
			write(t, name, strings.ReplaceAll(content, `\n`, "\n"))
		} else if line != "" {
			scriptLine(t, strings.Split(line, " | "))
		}
	}
}

// scriptLine runs a command line of a script and makes its checks.
func scriptLine(t *testing.T, parts []string) {
	t.Helper()
	args, checks := strings.Fields(parts[0]), parts[1:]
	if len(checks) > 0 && strings.HasPrefix(checks[0], "refused: ") {
		fails(t, append(checks[1:], strings.TrimPrefix(checks[0], "refused: ")), args...)
		return
	}
	status, stdout, stderr := nmu(args...)
	want := "0"
	for _, check := range checks {
		of, words, ok := strings.Cut(check, ": ")
		of, without := strings.CutSuffix(of, " no")
		switch {
		case !ok:
			t.Fatalf("%q is no check", check)
		case of == "status":
			want = words
			continue
		}
		text, ok := map[string]string{"prints": stdout, "notes": stderr}[of]
		name, equal := strings.CutSuffix(of, " same")
		dir, folder := strings.CutPrefix(of, "folder ")
		switch {
		case equal:
			text, words = readText(t, name), readText(t, words)
		case folder:
			text, equal = strings.Join(names(t, dir), " "), true
		case !ok:
			text = readText(t, of)
		}
		if equal && text != words || strings.Contains(text, words) == without {
			t.Errorf("nmu %s: it is not so that %s: %.2000q", parts[0], check, text)
		}
	}
	if fmt.Sprint(status) != want || want == "0" && !commandtest.OnlyNotes(stderr) {
		t.Errorf("nmu %s: status %d, want %s, %s", parts[0], status, want, stderr)
	}
}
