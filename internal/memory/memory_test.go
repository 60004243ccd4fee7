package memory

import (
	"strings"
	"testing"
	"testing/fstest"

	"nmu/internal/must"
)

func TestParse(t *testing.T) {
	for s, want := range map[string]int64{
		"1": 1, "1000000": 1e6, "512MB": 512e6, "2GiB": 2 << 30, "1.5G": 3 << 29, "1.5 gb": 15e8,
		"7 KiB": 7 << 10, "0.5K": 512, "3b": 3, " 2T ": 2 << 40, "9007199254740993": 9007199254740993,
	} {
		if n, err := Parse(s); n != want || err != nil {
			t.Errorf("%q: %d, %v, want %d", s, n, err, want)
		}
	}
	for s, says := range map[string]string{
		"": "no size", "GB": "no size", "5 apples": "no size", "-1": "no size", "1e9": "no size", "inf": "no size",
		"0x10": "no size", "1.2.3M": "no size", "0": "less than one byte", "0.1B": "less than one byte",
		"9223372036854775807": "counted", "9000000000T": "counted",
	} {
		if n, err := Parse(s); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %d, %v, want an error that says %q", s, n, err, says)
		}
	}
}

func TestText(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 999: "999 bytes", 1000: "1 KB", 17179869184: "17.2 GB", 6e9: "6 GB", 123456789: "123 MB", 1 << 50: "1.13e+03 TB",
	} {
		must.Equal(t, Text(n), want, n)
	}
}

func TestFree(t *testing.T) {
	if n := Free(); n < 1 || n > unknown {
		t.Errorf("%d bytes are free", n)
	}
}

// The least of the limits counts, and the cache of files is no use of memory.
func TestAvailable(t *testing.T) {
	const meminfo = "MemTotal:       24684084 kB\nMemFree:        1 kB\nMemAvailable:   1000 kB\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing", nil, -1},
		{"machine", map[string]string{"proc/meminfo": meminfo}, 1000 << 10},
		{"version 2", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/b/memory.current": "5\n",
			"sys/fs/cgroup/a/memory.max": "9000\n", "sys/fs/cgroup/a/memory.current": "5000\n",
			"sys/fs/cgroup/a/memory.stat": "anon 1\ninactive_file 3000\n",
		}, 7000},
		{"version 1", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/host/path\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "700", "sys/fs/cgroup/memory/memory.usage_in_bytes": "600",
			"sys/fs/cgroup/memory/memory.stat": "inactive_file 1\ntotal_inactive_file 50\n",
		}, 150},
		{"no limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712", "sys/fs/cgroup/memory/memory.usage_in_bytes": "600",
		}, 1000 << 10},
		{"spent", map[string]string{
			"proc/self/cgroup": "0::/", "sys/fs/cgroup/memory.max": "5", "sys/fs/cgroup/memory.current": "9",
		}, 0},
	} {
		root := fstest.MapFS{}
		for name, text := range c.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		must.Equal(t, available(root), c.want, c.name)
	}
}
