// Package bench measures nmu against the limits of the machine and against other programs.
//
//	go test ./bench -run '^$' -bench Machine       multiply-adds and bandwidth, by threads
//	go test ./bench -run '^$' -bench Iteration     iterations on dense matrices, by threads
//	go test ./bench -run '^$' -bench Sparse        the same on a sparse matrix
//	go test ./kernel/... -run '^$' -bench Kernel   each kernel at each level
//	python3 bench/peers.py                         the same job by other programs
//	go run ./bench/paper                           the tables of the paper
//
// The benchmarks print the units of package testing, so that benchstat compares two runs:
//
//	go run golang.org/x/perf/cmd/benchstat old.txt new.txt
//
// %limit is the least time that the machine needs for an iteration, over the measured time. The rates
// behind it are measured beside each sample. %efficiency is the time of one thread over the time of
// all threads together. %spread is the range of the samples over their median; -benchtime 5x takes
// five. The line "load" says how busy the machine was before the run.
package bench
