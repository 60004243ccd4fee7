package main

import (
	"nmu/cmd/internal/factor"
	"slices"

	"nmu/cmd/internal/input"
	"nmu/cmd/internal/methods"
	"nmu/cmd/internal/program"
	"nmu/internal/record"
	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/compare"
)

// rankName is the name of the command, also in its checkpoints.
const rankName = "rank"

func newRank() factor.Resumable {
	c := &comparison{evaluation: compare.EvaluateHeldOut, record: record.NameRank, names: func([]int) []string { return record.RankNames }}
	return c.command(program.Command{
		Use:   rankName + " INPUT --ranks 2:20",
		Short: "Compare ranks by held-out error and stability, and advise one",
		Long: `Compare ranks for the factorization of the nonnegative matrix M in INPUT, and advise
one, with the reason.

` + input.Help() + `
A sparse matrix is made dense.

The observed entries of M are divided at random into K folds. For each fold and rank,
M is factored without the entries of the fold, and the error on these entries is
measured, with --method kl the divergence. With --weights it is the weighted error. This
held-out error falls while further factors find structure, and rises when they fit
noise. The advice is the smallest rank within one standard error of the best one. The
training error comes from a run on all entries; its elbow is reported as well. If the
held-out error is least at one of the last two ranks, the advice is the elbow, provided
that it is clear and that stability falls from there. Otherwise there is none.

Stability compares N runs on all entries (--restarts), or for N = 1 the runs of the
folds. It is measured by the mean cosine of matched columns of V, and by the cophenetic
correlation and the dispersion of the consensus matrix, as in package NMF of R.

One run of a recursion (` + render.Enumerate(methods.Names(methods.Recursive), "or") + `) gives the factors of all ranks, so the comparison takes
K + N factorizations in all. With --out, DIR receives rank.json, rank.svg (a plot) and
rank.html (a page with both). Ctrl-C prints and writes what is finished and
exits with status 130, SIGTERM does so with 143 and SIGHUP with 129. nmu resume goes
on from the last checkpoint.`,
		Example: `  nmu rank faces.mat --ranks 2:20
  nmu rank faces.mat --ranks 5:50:5 --method rnmu --out ranks
  nmu rank counts.csv --ranks 2:8,10,12 --restarts 30 --json`,
	}, "2:20", "folds")
}

// heldOut compares ranks by the errors of a matrix of the command.
func heldOut[T lnmu.Float](r *runs[T]) (report, error) {
	res, err := r.work.HeldOut(r.open.Context)
	if res == nil {
		return nil, err
	}
	r.some = slices.ContainsFunc(res.Points, func(p compare.HeldOutPoint) bool { return p.Training != nil || p.HeldOut != nil })
	r.found = &res.Comparison
	return &record.Rank{About: r.about(), HeldOutResult: res}, err
}
