// Package program runs the command lines of nmu: flags, help, signals, errors on one line, exit
// statuses, shell completion. No other package below the command knows how flags are parsed.
//
//	Command  a command, whose flags the lists of package options declare
//	Call     a command line of it
//	New      a program with its commands
//	Execute  one command line, also in tests
//	Main     the command line of the process
package program
