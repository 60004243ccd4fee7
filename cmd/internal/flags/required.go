package flags

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// annotatedExample is the annotation of a required flag with a value that it may have.
const annotatedExample = "nmu example"

// Require makes a flag of a command required. The error for a missing flag shows the example.
// Require panics if cmd has no such flag.
func Require(cmd *cobra.Command, flag, example string) {
	err := cmd.MarkFlagRequired(flag)
	if err == nil {
		err = cmd.Flags().SetAnnotation(flag, annotatedExample, []string{example})
	}
	if err != nil {
		panic(err) // there is such a flag
	}
}

// Given returns an error that names a missing required flag, and nil if none is missing.
func Given(cmd *cobra.Command) (err error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if example := f.Annotations[annotatedExample]; example != nil && !f.Changed && err == nil {
			err = fmt.Errorf("--%s is missing, such as --%s %s; see %s --help", f.Name, f.Name, example[0], cmd.CommandPath())
		}
	})
	return err
}
