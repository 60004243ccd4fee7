// Package matiotest makes files of every format that matio reads, sound ones and others, and
// checks what matio makes of them. It is for tests alone.
package matiotest
