package render

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"nmu/internal/isa"
)

// Origin says when, where and by which program something was computed.
type Origin struct {
	Date     time.Time `json:"date"`
	CPU      string    `json:"cpu"`
	OS       string    `json:"os"`
	Arch     string    `json:"arch"`
	Level    string    `json:"level"` // instruction level of the kernels
	Go       string    `json:"go"`
	Revision string    `json:"revision,omitempty"` // of the source, if the build knows it
}

// NewOrigin describes this process at the current time.
func NewOrigin() Origin {
	o := Origin{
		Date: time.Now().UTC().Truncate(time.Second),
		CPU:  isa.CPU().Brand, OS: runtime.GOOS, Arch: runtime.GOARCH, Level: isa.Active().String(), Go: runtime.Version(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				o.Revision = s.Value
			}
		}
	}
	return o
}

// Line returns the origin as one line, without the processor.
func (o Origin) Line() string {
	text := fmt.Sprintf("%s, %s/%s, %s kernels, %s", o.Date.Format(time.DateOnly), o.OS, o.Arch, o.Level, o.Go)
	if o.Revision != "" {
		text += fmt.Sprintf(", revision %.12s", o.Revision)
	}
	return text
}
