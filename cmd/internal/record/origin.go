package record

import (
	"runtime"

	"nmu/internal/release"
)

// Origin says which program has made a result, and of which matrix.
type Origin struct {
	Version   string `json:"version"`
	Go        string `json:"go"`
	Platform  string `json:"platform"`
	Input     string `json:"input"`
	Variable  string `json:"var,omitempty"`
	Transpose bool   `json:"transpose"`
}

// NewOrigin returns the origin of a result of this program.
func NewOrigin(path, variable string, transpose bool) Origin {
	return Origin{release.Version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, path, variable, transpose}
}
