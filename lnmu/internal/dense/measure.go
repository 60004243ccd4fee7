package dense

import (
	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/source"
)

// Measure implements source.Opened.
func (o *opened[T]) Measure(v, w kernel.Matrix[T]) (m source.Measured, err error) {
	t := team.New(o.m.Threads)
	defer t.Close()
	d := o.m // with the errors of these passes
	d.Failed = func(failed error) { err = failed }
	a, s := d.reopened(t, v, w)
	if a.files != nil {
		defer a.files.Close()
	}
	m.E = s.Residual(0, false)
	if m.Alpha = s.fit(); m.Fitted() {
		for i := range s.short.X.Data {
			s.short.X.Data[i] *= T(m.Alpha)
		}
		m.Scaled = s.Residual(0, false)
	}
	return m, group.Agree(d.Comm, err)
}
