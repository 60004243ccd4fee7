//go:build unix

package regular

import "syscall"

// nonblock makes open return at once for a pipe, and does not make a terminal the controlling
// one. It has no effect on reading a regular file.
const nonblock = syscall.O_NONBLOCK | syscall.O_NOCTTY
