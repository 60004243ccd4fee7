package flags

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// annotatedExample is the annotation of a required flag with a value that it may have.
const annotatedExample = "nmu example"

// annotatedUnless is the annotation with the flag that makes a required one needless.
const annotatedUnless = "nmu unless"

// Require makes a flag of a command required, unless another one is given. The error for a missing flag shows the
// example. Require panics if cmd has no such flag.
func Require(cmd *cobra.Command, flag, example string, unless ...string) {
	err := cmp.Or(cmd.Flags().SetAnnotation(flag, annotatedExample, []string{example}), cmd.Flags().SetAnnotation(flag, annotatedUnless, unless))
	if unless == nil {
		err = cmp.Or(err, cmd.MarkFlagRequired(flag))
	}
	if err != nil {
		panic(err) // there is such a flag
	}
}

// Given returns an error that names a missing required flag, and nil if none is missing.
func Given(cmd *cobra.Command) (err error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		for _, other := range f.Annotations[annotatedUnless] {
			if cmd.Flags().Changed(other) {
				return
			}
		}
		if example := f.Annotations[annotatedExample]; example != nil && !f.Changed && err == nil {
			err = fmt.Errorf("--%s is missing, such as --%s %s; see %s --help", f.Name, f.Name, example[0], cmd.CommandPath())
		}
	})
	return err
}
