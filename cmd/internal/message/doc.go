// Package message has the wording of what the command prints: notes, errors in one line,
// lists as in a sentence, percentages, and words quoted for a shell.
package message
