package dense

import (
	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/source"
)

// Measure implements source.Opened.
func (d *Storage[T]) Measure(v, w kernel.Matrix[T]) (m source.Measured, err error) {
	t := team.New(d.Threads)
	defer t.Close()
	passes := *d
	passes.Failed = func(failed error) { err = failed }
	a, s := passes.reopened(t, v, w)
	if a.files != nil {
		defer a.files.Close()
	}
	m.E = s.Residual(0, false)
	if m.Alpha = s.fit(); m.Fitted() {
		kernel.Scale(s.short.X.Data, T(m.Alpha))
		m.Scaled = s.Residual(0, false)
	}
	return m, group.Agree(d.Comm, err)
}
