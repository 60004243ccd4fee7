// Package process runs other programs and reads how much memory this process uses.
package process

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
)

// Output runs a command and returns its standard output. An error of the command carries
// the last line of its standard error.
func Output(cmd *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, LastLine(stderr.String()))
	}
	return stdout.String(), nil
}

// LastLine returns the last line of a text, without the space around the text.
func LastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
