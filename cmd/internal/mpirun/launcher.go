package mpirun

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/message"
)

// launchers are the variables in which launchers of MPI tell a process how many there are: those of
// Open MPI, of MPICH and Intel MPI, and of MVAPICH.
var launchers = []string{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}

// Slurm sets these variables for each task of a step, of a program without MPI as well.
const (
	slurmTasks = "SLURM_STEP_NUM_TASKS"
	slurmTask  = "SLURM_PROCID"
)

// harmless are the commands that several processes may run side by side: they write no files.
var harmless = []string{"info", "version", "completion", "help"}

// CheckAlone returns an error if a launcher has started several processes of a command that runs in
// one: each would write the same folder. The tasks of a step of Slurm may be independent runs, so
// the first of them only prints a note on out. Path has the words of the command, together says whether it has the flag
// for several processes, and getenv returns a variable of the environment.
func CheckAlone(out io.Writer, path []string, together bool, getenv func(name string) string) error {
	if len(path) == 0 || slices.Contains(harmless, path[0]) {
		return nil
	}
	for _, name := range launchers {
		n, err := strconv.Atoi(getenv(name))
		if err != nil || n < 2 {
			continue
		}
		way := fmt.Sprintf("start nmu %s without mpirun", path[0])
		if together {
			way = fmt.Sprintf("add --%s, which needs a program built with the tag mpi, or start it without mpirun", FlagName)
		}
		return exit.Misuse(fmt.Errorf("a launcher of MPI has started %d processes (%s), and each would do the whole work; %s", n, name, way))
	}
	if n, err := strconv.Atoi(getenv(slurmTasks)); err == nil && n > 1 && getenv(slurmTask) == "0" {
		way := ""
		if together {
			way = fmt.Sprintf("; with --%s they share one run", FlagName)
		}
		message.Note(out, "srun has started %d tasks, and each does the whole work, so each needs its own output%s", n, way)
	}
	return nil
}
