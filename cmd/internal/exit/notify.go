//go:build !wasm

package exit

import (
	"os"
	"os/signal"
)

// notify relays the signal s to c, unless it is ignored.
func notify(c chan<- os.Signal, s os.Signal) {
	if !signal.Ignored(s) {
		signal.Notify(c, s)
	}
}
