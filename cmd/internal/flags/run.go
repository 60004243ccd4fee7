package flags

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/cmd/internal/exit"
)

// Arguments returns the check of the arguments of a command that takes from least to most of them.
// needs says what the command needs, with a verb for their number.
func Arguments(least, most int, needs string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fmt.Errorf("%s needs "+needs+"; see %s --help", cmd.Name(), len(args), cmd.CommandPath())
		}
		return nil
	}
}

// OneInput is the check of the arguments of a command that takes one INPUT.
func OneInput(cmd *cobra.Command, args []string) error {
	return Arguments(1, 1, "one INPUT, got %d")(cmd, args)
}

// Precisions are the values of --precision.
var Precisions = []string{"float32", "float64"}

// AddPrecision adds the flag --precision.
func AddPrecision(fs *pflag.FlagSet, precision *string) {
	fs.StringVar(precision, "precision", "float64", "`TYPE`: float32 or float64")
	SetWords(fs, "precision", Precisions, false)
}

// Run runs a command in its precision. checked is the error of its checks.
func Run(checked error, precision string, in32, in64 func() error) error {
	switch {
	case checked != nil:
		return exit.Misuse(checked)
	case precision == "float32":
		return in32()
	case precision == "float64":
		return in64()
	}
	return exit.Misuse(fmt.Errorf("unknown precision %q; choose float32 or float64", precision))
}
