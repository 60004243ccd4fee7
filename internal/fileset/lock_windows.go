package fileset

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/windows"
)

// lock takes the lock of an open folder: a mutex, which belongs to this thread until it is released. It says
// whether it has it. If another holds it, lock waits, or returns false.
func lock(root *os.Root, wait bool) (release func(), ok bool) {
	name, _ := windows.UTF16PtrFromString(fmt.Sprintf(`Global\nmu-%x`, sha256.Sum256([]byte(strings.ToLower(root.Name())))))
	runtime.LockOSThread()
	mutex, _ := windows.CreateMutex(nil, false, name) // an error may say that it exists
	most := uint32(windows.INFINITE)
	if !wait {
		most = 0
	}
	event, err := windows.WaitForSingleObject(mutex, most)
	return func() {
		windows.ReleaseMutex(mutex)
		windows.CloseHandle(mutex)
		runtime.UnlockOSThread()
	}, err == nil && event != uint32(windows.WAIT_TIMEOUT)
}

// owned returns true, because this system does not know the owner.
func owned(fs.FileInfo) bool { return true }
