//go:build !unix

package main

import (
	"errors"
	"os/exec"
)

// anotherUser fails: this system has no users that a program can be run as.
func anotherUser(string) (*exec.Cmd, error) { return nil, errors.ErrUnsupported }
