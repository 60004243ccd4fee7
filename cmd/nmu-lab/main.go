// Command nmu-lab measures nmu, repeats the experiments of the paper, and makes the tables,
// plots and pictures of the documentation. It is for work on nmu, and no part of a release.
package main

import "nmu/cmd/nmu/lab"

func main() { lab.Main() }
