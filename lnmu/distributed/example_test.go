package distributed_test

import (
	"context"
	"fmt"

	"nmu/lnmu"
	"nmu/lnmu/distributed"
)

// alone is a group of one process. With MPI, Exchange is MPI_Sendrecv, and Broadcast MPI_Bcast.
type alone struct{}

func (alone) Rank() int                    { return 0 }
func (alone) Size() int                    { return 1 }
func (alone) Exchange(int, []byte, []byte) {}
func (alone) Broadcast([]byte)             {}

// One process holds all of M; several would each hold the rows that Share returns for them.
func ExampleWhole() {
	m := lnmu.NewDense(3, 2, []float64{1, 2, 2, 4, 3, 6})
	whole := distributed.Whole[float64]{Processes: alone{}, Rows: 3, Cols: 2}
	first, last := distributed.Share(3, 2, whole.Processes.Rank(), whole.Processes.Size())
	res, err := lnmu.Factor(context.Background(), whole.Part(m), 1, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	v, _, err := whole.Factors(res.V, res.W)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, cols := v.Dims()
	fmt.Printf("rows %d to %d, V is %d x %d, error %.1f\n", first, last-1, rows, cols, res.RelativeError)
	// Output: rows 0 to 2, V is 3 x 1, error 0.0
}
