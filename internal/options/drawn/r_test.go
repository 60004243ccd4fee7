package drawn_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/internal/options/drawn"
)

// TestDrawnByR: R finds the bits of Go, whatever is drawn from the lists of methods, options and settings.
// It is a part of .ci/r, which builds the package and names its library of R in NMU_R.
func TestDrawnByR(t *testing.T) {
	library := os.Getenv("NMU_R")
	if library == "" {
		t.Skip("NOT TESTED: NMU_R names no library of R with the package; .ci/r builds one and runs this test")
	}
	script := strings.Builder{}
	script.WriteString(`library(nmu)
whole <- outer(0:22, 0:16, function(i, j) (i * i + 3 * i * j + 5 * j) %% 7)
gaps <- whole
gaps[(row(whole) - 1 + 2 * (col(whole) - 1)) %% 5 == 1] <- NA
show <- function(x) cat(nmu_sha256(x$V), nmu_sha256(x$W), "\n")
`)
	rng := rand.New(rand.NewPCG(39, 8))
	var all []drawn.Config
	for range 200 {
		c, _ := drawn.Draw(rng)
		all = append(all, c)
		arguments := []string{map[bool]string{false: "whole", true: "gaps"}[c.Gaps()], strconv.Itoa(drawn.Rank), strconv.Quote(c.Method)}
		fmt.Fprintf(&script, "show(suppressWarnings(factorize(%s)))\n", strings.Join(slices.Concat(arguments, inR(c.Options), inR(c.Settings)), ", "))
	}
	agreements := drawn.Agreements()
	for _, a := range agreements {
		fmt.Fprintf(&script, `x <- nmu_consensus(whole, 2:3, %q, %s)
cat(vapply(x[c("V", "V_low", "V_high", "W", "W_low", "W_high", "map")], function(l) nmu_sha256(l[["3"]]), ""), "\n")
`, a.Method, strings.Join(inR(a.Settings), ", "))
	}
	cmd := exec.CommandContext(t.Context(), "Rscript", "-")
	cmd.Stdin = strings.NewReader(script.String())
	cmd.Env = append(os.Environ(), "R_LIBS="+library)
	var warnings strings.Builder // notes of the runs among them
	cmd.Stderr = &warnings
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, &warnings)
	}
	found := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(found) != len(all)+len(agreements) {
		t.Fatalf("R finds %d of %d\n%s", len(found), len(all)+len(agreements), out)
	}
	for i, a := range agreements {
		want, err := a.Hashes()
		if got := strings.Fields(found[len(all)+i]); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: R finds %q, Go %q, %v", a, got, want, err)
		}
	}
	for i, c := range all {
		must.Equal(t, strings.TrimSpace(found[i]), strings.Join(c.Hashes[:2], " "), c, "R finds", found[i], "Go")
	}
}

// inR writes values as arguments of R.
func inR(values []drawn.Value) (arguments []string) {
	for _, v := range values {
		text := strconv.Quote(v.Text)
		switch v.Type {
		case "whole number", "number":
			text = v.Text
		case "yes or no":
			text = strings.ToUpper(v.Text)
		}
		arguments = append(arguments, strings.ReplaceAll(v.Name, "-", "_")+" = "+text)
	}
	return arguments
}
