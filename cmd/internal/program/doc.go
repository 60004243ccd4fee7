// Package program runs the command lines of nmu: signals, errors on one line, exit
// statuses, shell completion.
//
//	New      a root command with its subcommands
//	Execute  one command line, also in tests
//	Main     the command line of the process
package program
