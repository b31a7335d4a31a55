package consoletest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"superres/internal/must"

	"golang.org/x/sys/unix"
)

// OnTerminal runs the program in the folder dir, with the text stdin as input and a terminal as standard output and
// error. It returns what the terminal showed, and the exit code.
func (p Program) OnTerminal(t *testing.T, dir, stdin string, args ...string) (screen string, code int) {
	t.Helper()
	t.Chdir(dir)
	keeper, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	defer keeper.Close()
	must.Succeed(t, unix.IoctlSetPointerInt(int(keeper.Fd()), unix.TIOCSPTLCK, 0)) // unlocks the terminal
	number := must.Get(unix.IoctlGetInt(int(keeper.Fd()), unix.TIOCGPTN))(t)
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	shown := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, keeper) // the error says that the terminal was closed
		shown <- b.String()
	}()
	code = p.Run(context.Background(), strings.NewReader(stdin), terminal, terminal,
		append([]string{"superres"}, args...))
	if err := terminal.Close(); err != nil {
		t.Error(err)
	}
	return strings.ReplaceAll(<-shown, "\r\n", "\n"), code
}
