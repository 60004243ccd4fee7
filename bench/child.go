package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"

	"nmu/bench/internal/engine"
	"nmu/bench/internal/process"
	"nmu/bench/internal/subject"
	"nmu/internal/dataset"
	"nmu/lnmu"
)

// childTask is the work of a child process: a factorization in float64.
type childTask struct {
	Method     string `json:"method"`
	Rows       int    `json:"rows"`
	Cols       int    `json:"cols"`
	Rank       int    `json:"rank"`
	Threads    int    `json:"threads"`
	Iterations int    `json:"iterations"`
}

// childReply is what a child process prints.
type childReply struct {
	Seconds []float64 `json:"seconds"` // of each timed iteration, without the first and the last
	Peak    int       `json:"peak"`    // peak memory in bytes; 0 if unknown
}

// runChild runs a task in a child process, which calls Child.
func runChild(ctx context.Context, command []string, task childTask) (childReply, error) {
	text, err := json.Marshal(task)
	if err != nil {
		return childReply{}, err
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.WaitDelay = 5 * time.Second
	cmd.Stdin = bytes.NewReader(text)
	out, err := process.Output(cmd)
	if err != nil {
		return childReply{}, err
	}
	var reply childReply
	if err := json.Unmarshal([]byte(out), &reply); err != nil {
		return childReply{}, fmt.Errorf("the child printed %.100q: %w", out, err)
	}
	return reply, nil
}

// Child runs in the process that Plan.Child starts. It reads a task from r, generates and
// factors its matrix, and writes the times of the iterations and the peak memory of the process
// to w.
func Child(ctx context.Context, r io.Reader, w io.Writer) error {
	var task childTask
	if err := json.NewDecoder(r).Decode(&task); err != nil {
		return fmt.Errorf("bench: task of a child process: %w", err)
	}
	if task.Iterations < engine.MinIterations {
		return fmt.Errorf("%w: %d iterations; at least %d are needed", ErrOption, task.Iterations, engine.MinIterations)
	}
	method, err := subject.MethodByName(task.Method)
	if err != nil {
		return err
	}
	const dataRank = 4 // enough, and quickly generated
	data, err := dataset.Random[float64](task.Rows, task.Cols, min(dataRank, task.Rows, task.Cols), 1)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	c := &engine.Clock{Iterations: task.Iterations, Single: make([]float64, 0, task.Iterations-2)}
	source := engine.Overwritten(lnmu.NewDense(task.Rows, task.Cols, data))
	if _, err := engine.Factor(ctx, c, source, task.Rank, method.Method, task.Threads); err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(childReply{Seconds: c.Single, Peak: process.PeakMemory()})
}
