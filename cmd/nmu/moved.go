package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"nmu/cmd/internal/exit"
)

// moved returns a hidden command for each command that nmu-lab has now. Its error names nmu-lab.
func moved() []*cobra.Command {
	var commands []*cobra.Command
	for _, name := range []string{"bench", "gallery", "paper", "tradeoff"} {
		commands = append(commands, &cobra.Command{
			Use: name, Hidden: true, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error {
				return exit.Misuse(fmt.Errorf("%s is a command of nmu-lab, the program for work on nmu; go run ./cmd/nmu-lab %s", name, name))
			},
		})
	}
	return commands
}
