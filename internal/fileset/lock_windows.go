package fileset

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/windows"
)

// lock takes the lock of an open folder: a mutex, which belongs to this thread until it is released. If
// another holds it, lock waits, or returns nil.
func lock(root *os.Root, wait bool) (release func()) {
	path, _ := filepath.EvalSymlinks(root.Name()) // a reader may have another name for it
	path, _ = filepath.Abs(path)
	name, _ := windows.UTF16PtrFromString(fmt.Sprintf(`Global\nmu-%x`, sha256.Sum256([]byte(strings.ToLower(path)))))
	most := map[bool]uint32{true: windows.INFINITE}[wait]
	runtime.LockOSThread()
	mutex, _ := windows.CreateMutex(nil, false, name) // an error may say that it exists
	release = func() {
		windows.ReleaseMutex(mutex)
		windows.CloseHandle(mutex)
		runtime.UnlockOSThread()
	}
	if event, err := windows.WaitForSingleObject(mutex, most); err != nil || event == uint32(windows.WAIT_TIMEOUT) {
		release()
		return nil
	}
	return release
}
