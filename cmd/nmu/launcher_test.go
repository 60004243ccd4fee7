package main

import (
	"path/filepath"
	"strings"
	"testing"

	"nmu/cmd/internal/exit"
)

// TestLauncher: several processes without --mpi are refused before they write into one folder.
func TestLauncher(t *testing.T) {
	input, out := textFile(t, "m.csv", "1,2\n3,4\n"), filepath.Join(t.TempDir(), "out")
	for _, c := range []struct {
		variable, value string
		args            []string
		want            string // part of the error, or empty
	}{
		{"OMPI_COMM_WORLD_SIZE", "2", []string{"factor", input, "--rank", "1", "--out", out}, "add --mpi, which needs a program built with the tag mpi"},
		{"PMI_SIZE", "16", []string{"factor", input, "--rank", "1", "--out", out}, "16 processes (PMI_SIZE)"},
		{"MV2_COMM_WORLD_SIZE", "2", []string{"resume", out}, "add --mpi"},
		{"OMPI_COMM_WORLD_SIZE", "4", []string{"rank", input, "--ranks", "1", "--out", out}, "start nmu rank without mpirun"},
		{"OMPI_COMM_WORLD_SIZE", "2", []string{"convert", input, out}, "without mpirun"},
		{"OMPI_COMM_WORLD_SIZE", "2", []string{"info"}, ""},
		{"OMPI_COMM_WORLD_SIZE", "1", []string{"factor", input, "--rank", "1"}, ""},
		{"PMI_SIZE", "", []string{"factor", input, "--rank", "1"}, ""},
	} {
		t.Run(c.variable+"="+c.value+" "+c.args[0], func(t *testing.T) {
			t.Setenv(c.variable, c.value)
			status, _, stderr := nmu(c.args...)
			if (status == exit.StatusUsage) != (c.want != "") || !strings.Contains(stderr, c.want) || c.want == "" && status != 0 {
				t.Errorf("status %d, error %q, want %q", status, stderr, c.want)
			}
			noFile(t, out)
		})
	}
}

// TestSlurmTasks: the tasks of a step of Slurm are independent runs, which the first one notes.
func TestSlurmTasks(t *testing.T) {
	input := textFile(t, "m.csv", "1,2\n3,4\n")
	t.Setenv("SLURM_STEP_NUM_TASKS", "2")
	for task, want := range map[string]string{"0": "srun has started 2 tasks, and each does the whole work", "1": ""} {
		t.Setenv("SLURM_PROCID", task)
		status, _, stderr := nmu("factor", input, "--rank", "1", "--restarts", "1")
		if status != 0 || !strings.Contains(stderr, want) || want == "" && strings.Contains(stderr, "srun") {
			t.Errorf("task %s: status %d, %q, want %q", task, status, stderr, want)
		}
	}
}
