package solve

import "nmu/lnmu"

// WeightsNeedExact reports whether majorize was asked for as the missing solver of an m x n matrix
// whose weights have exact as their default. It is false where other processes have weights.
func (p Plan) WeightsNeedExact(m, n int) bool {
	if p.Weights == nil || p.World != nil || p.asked == nil || p.asked.settings.MissingSolver != lnmu.MissingMajorize {
		return false
	}
	settings := p.asked.settings
	settings.MissingSolver = ""
	_, settings, err := lnmu.WithDefaults(shape[float64](p, m, n), p.Rank, p.asked.method, &settings)
	return err == nil && settings.MissingSolver == lnmu.MissingExact
}
