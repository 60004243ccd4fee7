package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"nmu/cmd/internal/exit"
	"nmu/internal/dataset"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// The exit status says whose the error is.
func TestStatus(t *testing.T) {
	set := dataset.Swimmer()
	script(t, `
-- m.csv 1,2,3\n4,5,6\n7,8,1\n
-- bad.csv 1,2\n3,-4\n
-- file
factor m.csv --rank 1 --iterations 2 --restarts 1 --out basis
`)
	writeMatrix(t, "swimmer.npy", lnmu.NewDense(set.Rows, set.Cols, set.Data))
	for line := range strings.Lines(`factor m.csv --rank 1 --iterations 2 | status: 0
info | status: 0
factor m.csv --rank 1 --tolerance 0.5 | status: 0
factor swimmer.npy --rank 2 --method nmf --tolerance 1e-12 --iterations 30 | status: 3
factor swimmer.npy --rank 8 --method nmf --tolerance 1e-300 --iterations 1000000000 --time-limit 30ms | status: 3
factor m.csv --rank 2 --method nmf --iterations 1000000000 --time-limit 100ms | status: 0
transform basis m.csv --tolerance 1e-300 --iterations 20 | status: 3
factor nowhere.csv --rank 1 | status: 1
factor bad.csv --rank 1 | status: 1
factor m.csv --rank 1 --out file | status: 1
factor m.csv --rank 1 --max-memory 1 | status: 1
factor m.csv --rank 1 --init nowhere | status: 1
transform nowhere m.csv | status: 1
resume nowhere | status: 1
factor m.csv --rank 1 --continue nowhere | status: 1
facto m.csv | status: 2
info x | status: 2
factor | status: 2
factor m.csv | status: 2
factor m.csv --rnk 1 | status: 2
factor m.csv --rank x | status: 2
factor m.csv --rank 0 | status: 2
factor m.csv --rank 4 | status: 0
factor m.csv --rank 1 --method nfm | status: 2
factor m.csv --rank 1 --precision float16 | status: 2
factor m.csv --rank 1 --sep x | status: 2
factor m.csv --rank 1 --image 2x2 | status: 2
factor m.csv --rank 1 --write xls --out file | status: 2
factor m.csv --rank 1 --threads -1 | status: 2
factor m.csv --rank 1 --progress loud | status: 2
factor m.csv --rank 1 --checkpoint-every 1s | status: 2
factor m.csv --rank 1 --checkpoint-every -1s --out new | status: 2
factor - --rank 1 --checkpoint-every 1s --out new | status: 2
factor m.csv --rank 1 --continue basis --init basis | status: 2
factor m.csv --rank 1 --sparse-missing | status: 2
rank m.csv --ranks 0 | status: 2
rank m.csv --ranks 1:4 | status: 2
rank m.csv --ranks 2 --folds 0 | status: 2
rank m.csv --ranks 2 --precision float16 | status: 2
rank nowhere.csv --ranks 2 | status: 1
report basis --comparison nowhere | status: 1
factor m.csv --rank 2 --continue basis | status: 2
transform basis m.csv --iterations 0 | status: 2
transform basis | status: 2
resume | status: 2
biclique m.csv --starts 0 | status: 2
paper --restarts 1 | status: 2
demo --out= | status: 2
`) {
		scriptLine(t, strings.Split(strings.TrimSpace(line), " | "))
	}
	contains(t, succeed(t, "--help"), exit.Help)
	for _, stop := range []outcome.Stop{outcome.StopTolerance, outcome.StopExact, outcome.StopTarget} {
		must.Equal(t, exit.Unconverged(true, stop), nil, "ended by", stop)
	}
}

// failing is a writer that takes nothing.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// What cannot be printed is an error of every command, those of the command line
// itself as well.
func TestOutputFails(t *testing.T) {
	for _, args := range [][]string{{}, {"help"}, {"help", "factor"}, {"help", "terms"}, {"factor", "--help"}, {"--version"}, {"completion", "bash"}, {"info"}} {
		var stderr bytes.Buffer
		status := execute(context.Background(), args, nil, failing{}, &stderr)
		if status != exit.StatusError || !strings.Contains(stderr.String(), "no space left on device") || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("nmu %s: status %d, %s", strings.Join(args, " "), status, &stderr)
		}
	}
}
