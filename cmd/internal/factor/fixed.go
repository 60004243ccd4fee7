package factor

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"nmu/cmd/internal/flags"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/methods"
	"nmu/cmd/internal/record"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
)

// fixedFlags say which parts of the factors are known.
type fixedFlags struct {
	v, w     string
	baseline bool
}

func (f *fixedFlags) add(fs *pflag.FlagSet) {
	takers := message.Enumerate(methods.Names(func(d lnmu.Description) bool { return d.Fixes }), "and")
	fs.StringVar(&f.v, "fix-v", "", flags.Usage(takers+": fix the first columns of V to those of `FILE`; a folder stands for its V.npy"))
	fs.StringVar(&f.w, "fix-w", "", flags.Usage(takers+": fix rows of W to those of `FILE`, after the factors of --fix-v and --baseline; a folder stands for its W.npy"))
	fs.BoolVar(&f.baseline, "baseline", false, flags.Usage(takers+": "+options.Usage("baseline")))
}

// check rejects values that would be ignored.
func (f *fixedFlags) check(given func(flag string) bool) error {
	switch {
	case given("fix-v") && f.v == "":
		return errors.New("--fix-v is empty; name a file")
	case given("fix-w") && f.w == "":
		return errors.New("--fix-w is empty; name a file")
	}
	return nil
}

// read reads them, within the memory that the input leaves.
func (f *fixedFlags) read(input *matio.File) (lnmu.Fixed, error) {
	known := lnmu.Fixed{Baseline: f.baseline}
	for _, x := range []struct {
		flag, path, name string
		to               *lnmu.Dense[float64]
	}{{"fix-v", f.v, record.NameV, &known.V}, {"fix-w", f.w, record.NameW, &known.W}} {
		if x.path == "" {
			continue
		}
		var err error
		if *x.to, err = record.ReadFactorFile[float64](x.path, x.name, input); err != nil {
			return known, fmt.Errorf("--%s: %w", x.flag, err)
		}
	}
	return known, nil
}
