package group

import "nmu/lnmu"

// prefix is the group of the first size processes.
type prefix struct {
	lnmu.Processes
	size int
}

// Size returns the number of the processes.
func (p prefix) Size() int { return p.size }

// Broadcast sends data from the first process to the others. Each round doubles the number of
// processes that hold data.
func (p prefix) Broadcast(data []byte) {
	if p.size == p.Processes.Size() {
		p.Processes.Broadcast(data)
		return
	}
	for have := 1; have < p.size; have *= 2 {
		switch r := p.Rank(); {
		case r < have && r+have < p.size:
			p.Exchange(r+have, data, nil)
		case have <= r && r < 2*have:
			p.Exchange(r-have, nil, data)
		}
	}
}
