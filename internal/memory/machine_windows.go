package memory

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// memoryStatus is MEMORYSTATUSEX.
type memoryStatus struct {
	length, load                                         uint32
	totalPhys, availPhys, totalPage, availPage           uint64
	totalVirtual, availVirtual, availExtendedVirtualZero uint64
}

var globalMemoryStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// machine returns how many bytes this process can still get, -1 if unknown.
func machine() int64 {
	s := memoryStatus{length: uint32(unsafe.Sizeof(memoryStatus{}))}
	if globalMemoryStatus.Find() != nil {
		return -1
	}
	if ok, _, _ := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&s))); ok == 0 {
		return -1
	}
	return int64(min(s.availPhys, s.availPage, s.availVirtual, unknown))
}
