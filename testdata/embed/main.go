// Command embed uses packages kernel and lnmu from another module, as a program
// that builds on them would. It reads a matrix, "rows cols" and then its entries
// row by row, factors it with package lnmu, and forms the residual with package
// kernel alone:
//
//	$ echo 2 3  1 0 1  0 2 2 | GOFLAGS=-mod=mod go run .
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"

	"nmu/kernel"
	"nmu/lnmu"
	"nmu/lnmu/factors"
)

func main() {
	log.SetFlags(0)
	in := bufio.NewReader(os.Stdin)
	var rows, cols int
	if _, err := fmt.Fscan(in, &rows, &cols); err != nil {
		log.Fatal(err)
	}
	m := lnmu.NewDense[float64](rows, cols, nil)
	for i := range m.Data {
		if _, err := fmt.Fscan(in, &m.Data[i]); err != nil {
			log.Fatal(err)
		}
	}
	res, err := lnmu.Factor(context.Background(), m, 2, lnmu.RNMU{}, &lnmu.Settings{Start: lnmu.Start{Seed: 1}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("level", kernel.Level())
	fmt.Println("V", factors.SHA256(res.V))
	fmt.Println("W", factors.SHA256(res.W))
	fmt.Printf("residual %x\n", residual(m, res.V, res.W))
}

// residual returns ||M - V W||² as package kernel computes it.
func residual(m, v, w lnmu.Dense[float64]) float64 {
	minus := kernel.NewMatrix[float64](v.Cols, v.Rows) // -Vᵀ
	for i := range v.Rows {
		for k, x := range v.Row(i) {
			minus.Row(k)[i] = -x
		}
	}
	e := kernel.NewMatrix[float64](m.Rows, m.Cols)
	var sum float64
	kernel.Add(e, kernel.Matrix[float64](m))
	kernel.AddProduct(e, minus, kernel.Matrix[float64](w))
	for i := range e.Rows {
		sum += kernel.SumSquares(e.Row(i))
	}
	return sum
}
