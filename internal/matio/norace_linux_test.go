//go:build !race

package matio_test

const raceDetector = false
