package exit

import (
	"os"
	"syscall/js"
)

// notify lets a page interrupt the command: the function interrupt of its worker sends os.Interrupt to c.
// A worker has no signals, and signal.Ignored panics there.
func notify(c chan<- os.Signal, s os.Signal) {
	if s == os.Interrupt {
		js.Global().Set("interrupt", js.FuncOf(func(js.Value, []js.Value) any {
			select {
			case c <- s:
			default: // the command is about to end
			}
			return nil
		}))
	}
}
