package priority

import "golang.org/x/sys/windows"

// Lower gives the process, for good, the class BELOW_NORMAL, or leaves it in the class IDLE, which is lower.
func Lower() error {
	self := windows.CurrentProcess()
	class, err := windows.GetPriorityClass(self)
	if err != nil || class == windows.IDLE_PRIORITY_CLASS {
		return err
	}
	return windows.SetPriorityClass(self, windows.BELOW_NORMAL_PRIORITY_CLASS)
}
