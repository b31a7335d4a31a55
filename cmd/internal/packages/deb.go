package main

import (
	"bytes"
	"crypto/md5" // what dpkg compares installed files by
	"fmt"
	"slices"
	"strings"
)

// makeDeb makes a package for Debian and its kin, by deb(5), deb-control(5) and the Debian Policy.
//
// Note: there is no script in it. What has to be done for manuals, icons and menu entries is done by triggers of the
// packages that read them.
func makeDeb(r release, p program) (name string, data []byte, err error) {
	t, err := linuxTree(r, p, "usr/share/zsh/vendor-completions")
	if err != nil {
		return "", nil, err
	}
	changes := fmt.Appendf(nil, "superres (%s-1) unstable; urgency=medium\n\n  * Version %s; /usr/share/doc/superres/"+
		"changelog.gz has what is new.\n\n -- %s  %s\n", r.version, r.version, r.maintainer,
		r.time.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
	texts := tree{{"copyright", 0o644, copyright(r, p)}, {"changelog.gz", 0o644, r.changelog},
		{"changelog.Debian.gz", 0o644, changes}}
	for i := 1; i < len(texts); i++ {
		if texts[i].data, err = compress(texts[i].data); err != nil {
			return "", nil, err
		}
	}
	t = slices.Concat(t, texts.in(docs), tree{{"usr/share/lintian/overrides/superres", 0o644, []byte(overrides)}})
	var sums, control bytes.Buffer
	kibibytes := 0
	for _, f := range t.sorted() {
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.data), f.name)
		kibibytes += (len(f.data) + 1023) / 1024
	}
	kibibytes += len(t.folders()) // as policy 5.6.20 counts them
	fmt.Fprintf(&control, "Package: superres\nVersion: %s-1\nArchitecture: %s\nMaintainer: %s\nInstalled-Size: %d\n"+
		"Suggests: ffmpeg, libnotify-bin\nEnhances: gimp, darktable\nSection: graphics\nPriority: optional\n"+
		"Homepage: %s\nDescription: %s\n", r.version, p.arch, r.maintainer, kibibytes, r.url, synopsis())
	for line := range strings.SplitSeq(description, "\n") {
		fmt.Fprintf(&control, " %s\n", line)
	}
	members := tree{{"debian-binary", 0o644, []byte("2.0\n")}}
	for _, part := range []struct {
		name  string
		files tree
	}{
		{"control.tar.gz", tree{{"control", 0o644, control.Bytes()}, {"md5sums", 0o644, sums.Bytes()}}},
		{"data.tar.gz", t},
	} {
		packed, err := part.files.tar("./", r.time, nil)
		if err == nil {
			packed, err = compress(packed)
		}
		if err != nil {
			return "", nil, err
		}
		members = append(members, file{part.name, 0o644, packed})
	}
	return fmt.Sprintf("superres_%s-1_%s.deb", r.version, p.arch), members.ar(r.time.Unix()), nil
}

// overrides says why lintian is wrong here.
const overrides = `# A program in Go without cgo: one file, which runs on any Linux.
superres: statically-linked-binary [usr/bin/superres]
# The licences of others are as these wrote them.
superres: copyright-file-contains-full-apache-2-license
superres: copyright-not-using-common-license-for-apache2
# This package is not part of Debian.
superres: initial-upload-closes-no-bugs [usr/share/doc/superres/changelog.Debian.gz:1]
`

// synopsis returns the summary as Debian wants it: it goes on after "superres is able to".
func synopsis() string { return strings.ToLower(summary[:1]) + summary[1:] }

// copyright returns the file of this name: the terms of superres and of all that is linked into the program.
func copyright(r release, p program) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "superres %s, from %s\n\n%s", r.version, r.url, r.licence)
	fmt.Fprintf(&b, "\nThe program has these parts of others in it, under the terms that follow.\n")
	for _, l := range p.licences {
		fmt.Fprintf(&b, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("-", 72), l.module, l.name, bytes.TrimSpace(l.text))
	}
	return b.Bytes()
}

// ar returns the files as an archive in the format of ar(5).
func (t tree) ar(seconds int64) []byte {
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, f := range t {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", f.name, seconds, 0, 0, 0o100000|f.mode, len(f.data))
		b.Write(f.data)
		if len(f.data)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}
