package report

import "nmu/internal/scaling"

// Planning holds the inputs of a prediction for other machines.
type Planning struct {
	Methods []PlannedMethod `json:"methods"`
	Here    scaling.Kind    `json:"here"` // this machine, as measured
	Kind    scaling.Kind    `json:"kind"` // the machines of the plan, as stated
	Problem scaling.Problem `json:"problem"`
}

// PlannedMethod is a method with the share of the peak of multiply-adds that it reached
// here in one thread on a matrix in cache.
type PlannedMethod struct {
	Title string `json:"title"`
	scaling.Method
	Share float64 `json:"share"`
}
