// Package release has the version of the program and the library.
package release

import (
	"runtime/debug"
	"sync"
)

// number is the version of the program, in the form of semver.org.
const number = "1.0.0-dev"

// Version returns the version and, if the build has it, the revision of the source:
// 1.0.0+0123456789ab, with .modified if the source differed from it.
func Version() string { return version() }

var version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return number
	}
	return of(info.Settings)
})

func of(settings []debug.BuildSetting) string {
	revision, modified := "", ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = "+" + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ".modified"
		}
	}
	if revision == "" {
		return number
	}
	return number + revision + modified
}
