// Package process coordinates the processes that have been started for one run. All take the
// same steps. Only process 0 prints and writes files. The processes agree on errors and decisions.
package process
