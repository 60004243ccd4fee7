package tiles

import (
	"fmt"
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
)

// Norm returns ||M||_F and the largest entry of M, or an error if its squares leave the range
// of T. All processes call it.
func (x Input[T]) Norm() (norm, largest float64, err error) {
	switch {
	case x.magnitude != nil:
		return x.magnitude.result("M")
	case x.sorted == nil:
		var all magnitude[T]
		group.Ring(x.comm, group.Bytes(&all), func() { all.add(x.m.Val) })
		return all.result("M")
	}
	var all magnitude[T]
	own, slab := x.ofRows.own(), 0
	together := block.ChunkBytes / int(bytesOfEntries[T](1))
	err = group.RingRounds(x.comm, x.interrupted, group.Bytes(&all), func() (more bool, err error) {
		if slab == len(own.bounds)-1 {
			return false, nil
		}
		first := slab
		for slab++; slab < len(own.bounds)-1 && own.before[slab+1]-own.before[first] <= together; slab++ {
		}
		c, err := x.sorted.read(own.bounds[first], own.bounds[slab])
		all.add(c.Val)
		return slab < len(own.bounds)-1, err
	})
	if err != nil {
		return 0, 0, err
	}
	return all.result("M")
}

// magnitude sums up entries in the order of their rows.
type magnitude[T kernel.Float] struct {
	squares float64
	most    T
}

func (x *magnitude[T]) add(val []T) {
	for _, v := range val {
		x.squares += float64(float64(v) * float64(v))
		x.most = max(x.most, v)
	}
}

// result returns the norm and the largest entry, or an error if the squares leave the
// range of T.
func (x *magnitude[T]) result(name string) (norm, largest float64, err error) {
	if math.IsInf(float64(T(x.squares)), 0) {
		return 0, 0, fmt.Errorf("%w: the squares of %s overflow; scale %s down", core.ErrValue, name, name)
	}
	if x.most > 0 && x.most*x.most == 0 {
		return 0, 0, fmt.Errorf("%w: the squares of %s underflow; scale %s up", core.ErrValue, name, name)
	}
	return math.Sqrt(x.squares), float64(x.most), nil
}
