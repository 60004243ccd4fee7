// Package matiotest makes valid and invalid files of every format that matio reads, and checks
// what matio reads from them. It is for tests only.
package matiotest
