package fileset

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/windows"
)

// acquire waits for the lock of the folder at path: a mutex, which belongs to this
// thread until it is released.
func acquire(path string) (release func(), err error) {
	name, err := windows.UTF16PtrFromString(fmt.Sprintf(`Global\nmu-%x`, sha256.Sum256([]byte(strings.ToLower(path)))))
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	mutex, err := windows.CreateMutex(nil, false, name)
	if mutex == 0 {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	release = func() {
		windows.ReleaseMutex(mutex)
		windows.CloseHandle(mutex)
		runtime.UnlockOSThread()
	}
	if _, err := windows.WaitForSingleObject(mutex, windows.INFINITE); err != nil {
		release()
		return nil, fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return release, nil
}

// acquireOpen fails, because no folder is exchanged on this system.
func acquireOpen(*os.Root) (release func(), err error) { return nil, errors.ErrUnsupported }
