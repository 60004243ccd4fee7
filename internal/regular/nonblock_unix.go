//go:build unix

package regular

import "syscall"

// nonblock opens a pipe without waiting for its other end, and a terminal without making it
// that of the process. Reading a regular file does not depend on it.
const nonblock = syscall.O_NONBLOCK | syscall.O_NOCTTY
