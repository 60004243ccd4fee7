package combination

import "slices"

// Facts are what holds for a method whatever its options are.
type Facts struct {
	Name              string // short, in lower case, as on the command line
	Iterations        int    // usual ones, of each block (section 4.3)
	Rests             bool   // without penalties it goes on by default until the error is at rest, for Patience times as many
	Underapproximates bool   // V W <= M: it keeps multipliers
	Recursive         bool   // it finds block after block of factors, so that the first are those of a smaller rank

	// Words lists the values of the options that are words, by the name of the field, the default first.
	Words map[string][]string

	needs []Feature // those that not every storage has
}

// MaxThreads is the largest number of threads: more than any machine has, and few enough for goroutines.
const MaxThreads = 4096

// The words of options that several methods have, and of settings.
var (
	Solvers        = []string{"accelerated", "hals"} // of NMF and SNMF
	Divergences    = []string{"multiplicative", "coordinate"}
	Relaxations    = []string{"lagrangian", "admm"}
	Norms          = []string{"l2", "l1"}
	Feasibles      = []string{"final", "each"}
	Multipliers    = []string{"zero", "start"}
	Inits          = []string{"random", "svd", "spa", "snpa", "nested"}
	MissingSolvers = []string{"majorize", "exact"}
)

// The methods.
var (
	NMF   = Facts{Name: "nmf", Iterations: 100, Rests: true, Words: map[string][]string{"Solver": Solvers}}
	GNMU  = Facts{Name: "gnmu", Iterations: 240, Underapproximates: true, Words: map[string][]string{"Solver": Relaxations, "Feasible": Feasibles, "Multipliers": Multipliers}}
	RNMU  = Facts{Name: "rnmu", Iterations: 180, Underapproximates: true, Recursive: true, Words: map[string][]string{"Solver": Relaxations, "Feasible": Feasibles, "Multipliers": Multipliers, "Norm": Norms, "SmoothNorm": Norms}}
	SNMF  = Facts{Name: "snmf", Iterations: NMF.Iterations, Words: NMF.Words, needs: []Feature{Penalties}}
	Hoyer = Facts{Name: "hoyer", Iterations: 1000, needs: []Feature{Products}}
	KL    = Facts{Name: "kl", Iterations: 200, Rests: true, Words: map[string][]string{"Solver": Divergences}, needs: []Feature{Divergence}}
)

// Methods are all methods, in the order of the paper, then KL.
var Methods = [...]*Facts{&NMF, &GNMU, &RNMU, &SNMF, &Hoyer, &KL}

// Of returns the facts of the method of that name.
func Of(name string) *Facts {
	return Methods[slices.IndexFunc(Methods[:], func(f *Facts) bool { return f.Name == name })]
}

// Patience is the largest number of iterations by default of a method that rests, in usual ones.
const Patience = 5

// Most returns the largest number of iterations of each block by default.
func (f Facts) Most() int {
	if f.Rests {
		return Patience * f.Iterations
	}
	return f.Iterations
}

// Needs returns the features that the method itself asks for.
func (f Facts) Needs() []Feature { return f.needs }

// Fixes reports whether the method takes fixed factors.
func (f Facts) Fixes() bool { return Held.Allows(f.needs) }

// Sparse reports whether the method takes a sparse matrix.
func (f Facts) Sparse() bool { return Sparse.Allows(f.needs) }

// Partial reports whether the method takes missing entries and weights.
func (f Facts) Partial() bool { return Incomplete.Allows(f.needs) }
