package core

import "nmu/lnmu/internal/group"

// Session is what a storage has to know of its run.
type Session struct {
	Comm      group.Comm     // the processes that have parts of M
	Control   *group.Control // of process 0
	Threads   int
	Scratch   string // directory for temporary files, if M is in files
	Overwrite bool   // M may be destroyed

	Interrupted func() bool // reports whether the run is over; all processes ask together
	Cancelled   func() bool // is the last answer of Interrupted; tasks may ask
	Over        func() bool // is Cancelled for this process alone; it aborts a pass over files
	Failed      func(error) // is called when a pass over files is aborted, with the error of the disk or nil
}
