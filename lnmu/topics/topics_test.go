package topics

import (
	"math"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/start"
	"testing"
)

// TestScale: the columns of V and of the mixtures add up to 1, V W stays, and a zero
// topic and a zero column do no harm.
func TestScale(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testScale[float64](t, 0x1p-52) })
	t.Run("float32", func(t *testing.T) { testScale[float32](t, 0x1p-23) })
}

func testScale[T lnmu.Float](t *testing.T, precision float64) {
	const rows, cols, rank = 17, 9, 4
	v, w := start.Draw[T](rows, cols, rank, 3, false, core.Part{Whole: rows}.Window(rows, cols))
	for i := range rows {
		v.Row(i)[2] = 0
		v.Row(i)[3] *= 1000
	}
	for k := range rank {
		w.Row(k)[5] = 0
	}
	topics, weights := lnmu.NewDense[T](rows, rank, nil), lnmu.NewDense[T](rank, cols, nil)
	copy(topics.Data, v.Data)
	copy(weights.Data, w.Data)
	must.Do(t, Scale(topics, weights))
	mixtures := Mixtures(weights)
	for k := range rank {
		want := 1.0
		if k == 2 {
			want = 0
		}
		if got := sumOf(rows, func(i int) T { return topics.At(i, k) }); math.Abs(got-want) > rows*precision {
			t.Errorf("column %d of V adds up to %v", k, got)
		}
	}
	for j := range cols {
		total := sumOf(rank, func(k int) T { return weights.At(k, j) })
		want := 1.0
		if j == 5 {
			want = 0
		}
		if got := sumOf(rank, func(k int) T { return mixtures.At(k, j) }); math.Abs(got-want) > rank*precision {
			t.Errorf("mixture %d adds up to %v", j, got)
		}
		for k := range rank {
			if got, want := total*float64(mixtures.At(k, j)), float64(weights.At(k, j)); math.Abs(got-want) > 2*precision*want {
				t.Errorf("mixture (%d, %d) times the total is %v, want %v", k, j, got, want)
			}
		}
		for i := range rows {
			for k := range rank { // product by product, so that no large one hides another
				got, want := float64(topics.At(i, k))*float64(weights.At(k, j)), float64(v.At(i, k))*float64(w.At(k, j))
				if math.Abs(got-want) > 2*precision*want {
					t.Fatalf("(%d, %d), topic %d: %v, want %v", i, j, k, got, want)
				}
			}
		}
	}
}

func sumOf[T lnmu.Float](n int, x func(i int) T) (sum float64) {
	for i := range n {
		sum += float64(x(i))
	}
	return sum
}

// TestScaleRefuses: what cannot be scaled is left as it is.
func TestScaleRefuses(t *testing.T) {
	dense := func(rows, cols int, data ...float32) lnmu.Dense[float32] { return lnmu.NewDense(rows, cols, data) }
	nan := float32(math.NaN())
	for _, x := range []struct {
		what string
		v, w lnmu.Dense[float32]
		want error
	}{
		{"shapes", dense(2, 1, 1, 1), dense(2, 1, 1, 1), lnmu.ErrShape},
		{"no rows", lnmu.Dense[float32]{Cols: 1}, dense(1, 1, 1), lnmu.ErrShape},
		{"not a number", dense(2, 1, 1, nan), dense(1, 1, 1), lnmu.ErrValue},
		{"a negative entry", dense(2, 1, 1, 1), dense(1, 1, -1), lnmu.ErrValue},
		{"overflow", dense(2, 1, 3e38, 3e38), dense(1, 2, 1, 2), lnmu.ErrValue},
	} {
		v, w := append([]float32{}, x.v.Data...), append([]float32{}, x.w.Data...)
		must.Fail(t, Scale(x.v, x.w), x.want, "", x.what, "error")
		for i := range v {
			must.Equal(t, math.Float32bits(v[i]), math.Float32bits(x.v.Data[i]), x.what, "V is changed")
		}
		for i := range w {
			must.Equal(t, w[i], x.w.Data[i], x.what, "W is changed")
		}
	}
}
