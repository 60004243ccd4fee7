package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"nmu/internal/matio"
	"nmu/lnmu"
)

// fixedFlags say which parts of the factors are known.
type fixedFlags struct {
	v, w     string
	baseline bool
}

func (f *fixedFlags) add(fs *pflag.FlagSet) {
	takers := enumerate(methodNames(func(d lnmu.Description) bool { return d.Fixes }), "and")
	fs.StringVar(&f.v, "fix-v", "", usage(takers+": the first columns of V are those of `FILE`, and stay; a folder stands for its V.npy"))
	fs.StringVar(&f.w, "fix-w", "", usage(takers+": the rows of W that come after as many as these are those of `FILE`, and stay; a folder stands for its W.npy"))
	fs.BoolVar(&f.baseline, "baseline", false, usage(takers+": a row of ones before those of --fix-w, which gives each row of M an offset; it counts as a factor"))
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
	}{{"fix-v", f.v, nameV, &known.V}, {"fix-w", f.w, nameW, &known.W}} {
		if x.path == "" {
			continue
		}
		var err error
		if *x.to, err = readSide[float64](x.path, x.name, input); err != nil {
			return known, fmt.Errorf("--%s: %w", x.flag, err)
		}
	}
	return known, nil
}

// suggest gives the options of a method the shapes of the pictures that are to be smooth,
// unless they are given themselves.
func (flags methodFlags) suggest(method string, pics pictures) error {
	for _, x := range []struct {
		smooth, shape, size string
		of                  pixels
	}{{"smooth-v", "shape-v", "--image", pics.basis}, {"smooth-w", "shape-w", "--map", pics.maps}} {
		smooth, shape := flags.of(x.smooth), flags.of(x.shape)
		switch {
		case !smooth.given || shape.given || !slices.Contains(smooth.methods, method):
		case !x.of.known():
			return fmt.Errorf("--%s needs the size of the pictures: %s HxW", x.smooth, x.size)
		case x.of.byRows:
			shape.text, shape.given = lnmu.Shape{Height: x.of.height, Width: x.of.width}.String(), true
		default:
			shape.text, shape.given = lnmu.Shape{Height: x.of.width, Width: x.of.height}.String(), true
		}
	}
	return nil
}

// of returns the flag of that name, which there is.
func (flags methodFlags) of(name string) *methodFlag {
	for _, f := range flags {
		if f.name == name {
			return f
		}
	}
	panic("no option " + name)
}
