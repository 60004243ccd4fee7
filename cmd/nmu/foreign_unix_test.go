//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// nobody is the number of a user who owns nothing.
const nobody = 65534

// anotherUser returns a command that runs a shell script as a user who owns nothing.
func anotherUser(script string) (*exec.Cmd, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("only root can run a program as somebody else")
	}
	cmd := exec.Command("/bin/sh", "-ec", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd, nil
}
