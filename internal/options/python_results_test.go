package options

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

const pythonPackage = "../../python/nmu/"

// TestPythonResults: the results of the Python package have the fields of the lists here.
func TestPythonResults(t *testing.T) {
	agree(t, pythonPackage+"_results.py", pythonResults())
}

// pythonResult is a result of the Python package: its own fields before and after those of a list, but for
// the ones that it leaves out.
type pythonResult struct {
	class, text string
	before      [][3]string // name, type, meaning
	fields      []Field
	without     string
	after       [][3]string
}

// pythonResults declares the results of functions.
func pythonResults() string {
	const array = "NDArray[Any]"
	var b strings.Builder
	b.WriteString(`"""The results of functions; go test ./internal/options -run PythonResults -update writes this file."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
`)
	for _, r := range []pythonResult{
		{"Block", "A block: factors that are computed together.", nil, FieldsOf("nmu_block"), "history_length",
			[][3]string{{"history", "list[float]", `the errors at the checks, with method="kl" divergences`}}},
		{"Factorization", "V (m x r) and W (r x n) with M ≈ V W, and how they came about.",
			[][3]string{{"V", array, ""}, {"W", array, ""}}, FieldsOf("nmu_result"), "rank",
			[][3]string{{"blocks", "list[Block]", ""}, {"method", "str", "by which V and W were computed"}, {"options", "dict[str, Any] = {}", "of the method, those that were given"}}},
		{"Weights", "Weights W (r x n) for new columns, and how they came about.", [][3]string{{"W", array, ""}}, FieldsOf("nmu_transform_result"), "finished", nil},
		{"Measures", "The numbers by which the paper's tables compare factorizations.", nil, FieldsOf("nmu_measures"), "", nil},
		{"Biclique", "A biclique: each of its rows is joined to each of its columns.",
			[][3]string{{"rows", "NDArray[np.int_]", "indices, from 0"}, {"cols", "NDArray[np.int_]", "likewise"}}, FieldsOf("nmu_biclique_result"), "rows cols", nil},
		{"RankPoint", "What is known of a rank in a comparison. A number is NaN if it was not measured.", nil, FieldsOf("nmu_rank_point"), "", nil},
		{"RankSurvey", "A comparison of ranks, and the rank that it advises.", nil, FieldsOf("nmu_rank_result"), "",
			[][3]string{{"points", "list[RankPoint]", "by increasing rank"}, {"consensus", "dict[int, NDArray[Any]]", "consensus matrices by rank, with consensus=True"}}},
		{"ConsensusPoint", "What many runs of a rank have in common. V and W are arrays, or DataFrames if M was one.", nil, FieldsOf("nmu_consensus_point"), "",
			[][3]string{{"silhouettes", "list[float]", "of the parts: " + FieldsOf("nmu_part")[0].Meaning}, {"kept", "list[int]", "of the parts: " + FieldsOf("nmu_part")[1].Meaning},
				{"V", array, "(m x rank) the consensus parts, columns with the sum 1"}, {"V_low", array, "the lower ends of the intervals"}, {"V_high", array, "the upper ends"},
				{"W", array, "(rank x n) their weights, fitted to M"}, {"W_low", array, ""}, {"W_high", array, ""},
				{"map", array, "the share of the runs in which two columns of M have the same largest part"}}},
		{"Consensus", "A comparison of many runs, and the largest rank whose parts recur.", nil, FieldsOf("nmu_consensus_result"), "",
			[][3]string{{"points", "list[ConsensusPoint]", "by increasing rank; a rank without two finished runs has none"}}},
		{"Estimate", "An upper bound on what `factor` takes, in bytes.", nil, FieldsOf("nmu_estimate_result"), "", nil},
	} {
		fmt.Fprintf(&b, "\n\nclass %s(NamedTuple):\n    \"\"\"%s\"\"\"\n\n", r.class, r.text)
		all := r.before
		for _, f := range r.fields {
			if !strings.Contains(" "+r.without+" ", " "+f.Name+" ") {
				kind := map[string]string{"whole number": "int", "number": "float", "yes or no": "bool", "word": "str", "text": "str", "lines": "list[str]"}[f.Type]
				all = append(all, [3]string{f.Name, kind, regexp.MustCompile("^1 if").ReplaceAllString(f.Meaning, "whether")})
			}
		}
		for _, f := range append(all, r.after...) {
			line := fmt.Sprintf("    %s: %s", f[0], f[1])
			if f[2] != "" {
				line += "  #: " + f[2]
			}
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
