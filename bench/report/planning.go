package report

import "nmu/internal/scaling"

// Planning is what a prediction for other machines is made of.
type Planning struct {
	Methods []PlannedMethod `json:"subject.Methods"`
	Here    scaling.Kind    `json:"here"` // this machine, as it was measured
	Kind    scaling.Kind    `json:"kind"` // those that are planned with, as they are stated
	Problem scaling.Problem `json:"problem"`
}

// PlannedMethod is a method with the share of the peak of multiply-adds that it reached
// here in one thread on a matrix in cache.
type PlannedMethod struct {
	Title string `json:"title"`
	scaling.Method
	Share float64 `json:"share"`
}
