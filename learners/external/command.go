package external

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"superres/internal/safefile"
	"superres/learners/plugin"
)

// splitWords splits command at its blanks, except blanks between single or double quotes. A backslash has no special
// meaning, because Windows paths contain backslashes.
func splitWords(command string) ([]string, error) {
	var list []string
	var word strings.Builder
	var quote rune
	begun := false
	for _, r := range command {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t':
			if begun {
				list = append(list, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a %c is not closed", quote)
	}
	if begun {
		list = append(list, word.String())
	}
	return list, nil
}

// resolve splits the command, and returns the path of the program, found as by a shell, and its arguments. If there is
// no such program, the error says what to write instead.
func (p Program) resolve() (path string, args []string, err error) {
	list, err := splitWords(p.Command)
	switch {
	case err != nil:
		return "", nil, plugin.Errorf("external: %s: %v", p.Command, err)
	case len(list) == 0 || list[0] == "":
		return "", nil, plugin.Errorf("external: no program is named; write exec:./mine.py, or exec:python3 mine.py")
	}
	path, err = exec.LookPath(list[0])
	if err == nil {
		return path, list[1:], nil
	}
	_, missing := os.Stat(list[0])
	switch {
	case errors.Is(err, exec.ErrDot) || missing == nil && !strings.ContainsAny(list[0], `/\`): // here, not in PATH
		err = fmt.Errorf("a program in this folder is written with it, ./%s", list[0])
	case missing == nil: // the file exists, but is not executable
		err = fmt.Errorf("cannot be started; make it executable (chmod +x), or name what runs it, exec:python3 %s",
			list[0])
	case len(list) > 1:
		err = errors.New("no such program; put quotes around a path with blanks in it")
	default:
		err = errors.New("no such program")
	}
	return "", nil, plugin.Errorf("external: %s: %v", list[0], err)
}

// Check returns an error for a negative limit, a command that cannot be split, or a program that does not exist.
func (p Program) Check() error {
	if p.Limit < 0 {
		return plugin.Errorf("external: limit %v, expected more than 0", p.Limit)
	}
	_, _, err := p.resolve()
	return err
}

// Fingerprint implements plugin.Program. It returns the SHA-256 of the program and of each file among its arguments,
// such as a script for an interpreter. Files that the program loads by itself are not included.
func (p Program) Fingerprint() (string, error) {
	path, args, err := p.resolve()
	if err != nil {
		return "", err
	}
	var sums []string
	for i, name := range append([]string{path}, args...) {
		if info, err := os.Stat(name); i > 0 && (err != nil || !info.Mode().IsRegular()) {
			continue
		}
		sum, err := fileSum(name)
		if err != nil {
			return "", err
		}
		sums = append(sums, sum)
	}
	return strings.Join(sums, " "), nil
}

// fileSum returns the SHA-256 of a file in hexadecimal digits.
func fileSum(name string) (string, error) {
	f, _, err := safefile.OpenRegular(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", safefile.Unreadable(name, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
