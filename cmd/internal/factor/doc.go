// Package factor is nmu factor and nmu resume: the flags, the checks before the long
// computation, what goes to the output folder, and going on with an earlier run.
package factor
