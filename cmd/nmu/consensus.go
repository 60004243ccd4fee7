package main

import (
	"nmu/cmd/internal/factor"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/program"
	"nmu/internal/record"
	"nmu/lnmu"
	"nmu/lnmu/compare"
)

// consensusName is the name of the command, also in its checkpoints.
const consensusName = "consensus"

func newConsensus() factor.Resumable {
	c := &comparison{evaluation: compare.EvaluateStability, record: record.NameConsensus, names: record.ConsensusNames}
	return c.command(program.Command{
		Use:   consensusName + " INPUT --ranks 5:12",
		Short: "Compare many runs: stable parts, and an interval for each entry",
		Long: `Make many runs for each rank and compare them: how far they find the same parts, what
the parts have in common, and how far each entry of V and W can be trusted.

` + input.Help() + `

The runs differ in their random starts. With --resample columns each run has columns
drawn from those of M with replacement, and the weights of the columns of M are fitted
to rows drawn with replacement. With --resample poisson each run has counts drawn from
the Poisson distributions with the entries of M as means. Only resampled runs show the
noise in M: intervals of other runs show how far the result depends on the start.

The parts of all runs are matched by the Hungarian method. The stability of a rank is
the mean silhouette of the matched parts, from 1 (the same in all runs) to about 0. The
consensus parts are the medians without outliers, scaled to the sum 1; the weights are
fitted to M again. The advice is the largest rank whose parts recur: a stability of 0.8
and silhouettes of 0.2. With --uncertainties, the standard deviations of the entries,
or --weights the table has Q, the weighted sum of squares, over its expectation.

With --out, DIR receives consensus.json, consensus.svg and consensus.html, a page with
the parts, their intervals and the consensus map of each rank. Of each rank R, V-R.csv
and W-R.csv have a line for each row or column of M, with the entry and its interval
for each part. V-R.npy and W-R.npy are the factors, map-R.csv is the consensus map.
Ctrl-C writes the ranks that have two runs and exits with status 130, SIGTERM does so
with 143 and SIGHUP with 129. nmu resume goes on from the last checkpoint.`,
		Example: `  nmu consensus mutations.csv --ranks 2:10 --method kl --resample poisson --out sure
  nmu consensus cells/ --ranks 5:12 --runs 50 --resample columns --out sure
  nmu consensus air.csv --uncertainties errors.csv --missing allow --ranks 3:8 --json`,
	}, "5:12", "runs", "resample", "level")
}

// stability compares many runs of a matrix of the command.
func stability[T lnmu.Float](r *runs[T]) (report, error) {
	res, err := r.work.Stability(r.open.Context)
	if res == nil {
		return nil, err
	}
	r.found, r.some = &res.Comparison, len(res.Points) > 0
	rep := &record.Consensus[T]{About: r.about(), StabilityResult: res}
	rep.RowNames, rep.ColNames = r.work.Seen.Lines.Names(r.open.RowNames(), r.open.ColNames())
	return rep, err
}
