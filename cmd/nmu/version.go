package main

import "runtime/debug"

// release is the version of the program, as semver.org has it.
const release = "0.1.0-dev"

// version returns the release and, if the build knows it, the revision of the
// source: 0.1.0-dev+0123456789ab, with .modified if the source differed from it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	return versionOf(info.Settings)
}

func versionOf(settings []debug.BuildSetting) string {
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
		return release
	}
	return release + revision + modified
}
