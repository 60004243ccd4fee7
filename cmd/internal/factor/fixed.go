package factor

import (
	"fmt"

	"nmu/internal/matio"
	"nmu/internal/record"
	"nmu/lnmu"
)

// fixed reads which parts of the factors are known, within the memory that the input leaves.
func (f *commandLine) fixed(input *matio.File) (lnmu.Fixed, error) {
	known := f.Fixed
	for _, x := range []struct {
		flag, path, name string
		to               *lnmu.Dense[float64]
	}{{"fix-v", f.FixV, record.NameV, &known.V}, {"fix-w", f.FixW, record.NameW, &known.W}} {
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
