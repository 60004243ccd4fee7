package exit

import "os"

// notify does nothing: WASI has no signals, and signal.Ignored panics there.
func notify(chan<- os.Signal, os.Signal) {}
