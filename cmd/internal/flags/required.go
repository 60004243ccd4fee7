package flags

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// annotatedExample is the annotation of a required flag with a value that it may have.
const annotatedExample = "nmu example"

// annotatedUnless is the annotation with the flag that makes a required one needless.
const annotatedUnless = "nmu unless"

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

// RequireUnless is Require for a flag that another flag makes needless.
func RequireUnless(cmd *cobra.Command, flag, example, other string) {
	for annotation, value := range map[string]string{annotatedExample: example, annotatedUnless: other} {
		if err := cmd.Flags().SetAnnotation(flag, annotation, []string{value}); err != nil {
			panic(err) // there is such a flag
		}
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
