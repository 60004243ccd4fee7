//go:build race

package matio

const raceDetector = true
