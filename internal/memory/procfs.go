package memory

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// available returns the free memory from a Linux file tree: of the machine and of the control
// groups of this process. It returns -1 if the tree has none.
func available(root fs.FS) int64 {
	n := int64(-1)
	least := func(m int64) {
		if n < 0 || m < n {
			n = max(m, 0)
		}
	}
	if kb, ok := entry(root, "proc/meminfo", "MemAvailable:"); ok {
		least(kb << 10)
	}
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) < 3 {
			continue
		}
		base, limit, used, idle := "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
		if f[1] != "" { // version 1
			if !slices.Contains(strings.Split(f[1], ","), "memory") {
				continue
			}
			base, limit, used, idle = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
		}
		// Every group within a group is limited by both. Within a container the path
		// may be that of the host, but then its first part is what is mounted.
		for dir := path.Join("/", f[2]); ; dir = path.Dir(dir) {
			at := path.Join(base, dir)
			most, ok1 := number(root, path.Join(at, limit))
			now, ok2 := number(root, path.Join(at, used))
			if ok1 && ok2 {
				cache, _ := entry(root, path.Join(at, "memory.stat"), idle) // given up when it is needed
				least(most - max(now-cache, 0))
			}
			if dir == "/" {
				break
			}
		}
	}
	return n
}

// number reads a number from a file. ok is false for the word max, which means no limit.
func number(root fs.FS, name string) (n int64, ok bool) {
	b, _ := fs.ReadFile(root, name)
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	return n, err == nil && n >= 0
}

// entry reads the number behind a word at the beginning of a line.
func entry(root fs.FS, name, word string) (n int64, ok bool) {
	b, _ := fs.ReadFile(root, name)
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == word {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n, err == nil && n >= 0
		}
	}
	return 0, false
}
