package peer

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"nmu/bench/internal/process"
)

//go:embed scripts/*.py scripts/*.m
var scripts embed.FS

// script is a peer in another language. It is called as
//
//	interpreter flags... file --version
//	interpreter flags... file job.json
//
// and prints an Outcome in JSON as its last line. With --version, it reports only the names, and
// a field "missing" names the packages that are not installed. The matrices are in files of
// little-endian numbers in row-major order.
type script struct {
	name         string
	file         string // in scripts/
	interpreters []string
	flags        []string
	methods      []string

	mu        sync.Mutex
	found     bool
	command   string            // an interpreter with all packages of the script
	about     Outcome           // reply of the interpreter to --version
	missing   error             // reason why no interpreter was found
	coreTypes map[string]string // the fastest OPENBLAS_CORETYPE for a kind of job
}

// reply is the last line that a script prints.
type reply struct {
	Outcome
	Missing string `json:"missing"`
}

// Name returns the name of the program the script uses.
func (s *script) Name() string { return s.name }

// Available runs the script with --version, once.
func (s *script) Available(ctx context.Context) (string, error) {
	dir, err := s.unpack()
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := s.find(ctx, dir); err != nil {
		return "", err
	}
	return s.about.Version, nil
}

// unpack writes the scripts into a new directory.
func (s *script) unpack() (dir string, err error) {
	dir, err = os.MkdirTemp("", "nmu-peer-")
	if err != nil {
		return "", fmt.Errorf("bench: directory for %s: %w", s.name, err)
	}
	files, err := scripts.ReadDir("scripts")
	for _, f := range files {
		var text []byte
		if text, err = scripts.ReadFile("scripts/" + f.Name()); err == nil {
			err = os.WriteFile(filepath.Join(dir, f.Name()), text, 0o600)
		}
		if err != nil {
			break
		}
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("bench: scripts for %s: %w", s.name, err)
	}
	return dir, nil
}

// find looks for an interpreter with all packages of the script.
func (s *script) find(ctx context.Context, dir string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found {
		return s.missing
	}
	var why []string
	for _, name := range s.interpreters {
		paths := programs(name)
		if len(paths) == 0 {
			why = append(why, "no program "+name)
		}
		for _, path := range paths {
			r, err := s.call(ctx, dir, path, 1, "", "--version")
			if ctx.Err() != nil {
				return ctx.Err()
			}
			switch {
			case err != nil:
				why = append(why, err.Error())
			case r.Missing != "":
				why = append(why, fmt.Sprintf("%s has no %s", path, r.Missing))
			default:
				s.found, s.command, s.about = true, path, r.Outcome
				return nil
			}
		}
	}
	s.found = true
	s.missing = fmt.Errorf("%w: %s: %s", ErrNotInstalled, s.name, strings.Join(why, "; "))
	return s.missing
}

// programs returns every program of that name in PATH, in the order of PATH. A directory with
// two names in PATH counts once. If name is a path, programs returns that program.
func programs(name string) []string {
	places := []string{name}
	if filepath.Base(name) == name {
		places = nil
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			if filepath.IsAbs(dir) { // like exec.LookPath, no program from the current directory
				places = append(places, filepath.Join(dir, name))
			}
		}
	}
	var found, folders []string
	for _, place := range places {
		path, err := exec.LookPath(place)
		if err != nil {
			continue
		}
		// Do not resolve a link to the program itself: the link of a Python environment matters.
		folder, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil || slices.Contains(folders, folder) {
			continue
		}
		found, folders = append(found, path), append(folders, folder)
	}
	return found
}

// pythons returns the names of the interpreters to look for.
func pythons() []string {
	if p := os.Getenv("NMU_PYTHON"); p != "" {
		return []string{p}
	}
	return []string{"python3", "python"}
}

// call runs the script with one argument and reads the last line it prints.
func (s *script) call(ctx context.Context, dir, interpreter string, threads int, core, arg string) (reply, error) {
	args := append(slices.Clone(s.flags), filepath.Join(dir, s.file), arg)
	cmd := exec.CommandContext(ctx, interpreter, args...)
	cmd.Dir = dir
	cmd.WaitDelay = 5 * time.Second
	cmd.Env = os.Environ()
	for _, name := range []string{"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"} {
		cmd.Env = append(cmd.Env, name+"="+strconv.Itoa(threads))
	}
	if core != "" {
		cmd.Env = append(cmd.Env, "OPENBLAS_CORETYPE="+core)
	}
	text, err := process.Output(cmd)
	if ctx.Err() != nil {
		return reply{}, ctx.Err()
	}
	if err != nil {
		return reply{}, fmt.Errorf("bench: %s (%s): %w", s.name, interpreter, err)
	}
	var r reply
	line := process.LastLine(text)
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		return reply{}, fmt.Errorf("bench: %s (%s) printed %.100q: %w", s.name, interpreter, line, err)
	}
	return r, nil
}
