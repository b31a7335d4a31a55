package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// makeRPM makes a package for Fedora, openSUSE and their kin, in the format of RPM 4. It needs nothing of the system
// and has no script.
func makeRPM(r release, p program) (name string, data []byte, err error) {
	t, err := linuxTree(r, p, "usr/share/zsh/site-functions")
	if err != nil {
		return "", nil, err
	}
	terms, err := p.expressions()
	if err != nil {
		return "", nil, err
	}
	t = slices.Concat(t, tree{{docs + "/CHANGELOG.md", 0o644, r.changelog}, {licences + "/LICENSE", 0o644, r.licence}},
		p.licenceTree().in(licences))
	for _, folder := range t.folders() {
		if strings.Contains(folder+"/", "/superres/") { // all others are of the system
			t = append(t, file{folder, fs.ModeDir | 0o755, nil})
		}
	}
	t = t.sorted()
	h := rpmHeader{}
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[p.arch]
	h.describe(r, arch, terms[""])
	h.list(t, uint32(r.time.Unix()))
	unpacked := t.cpio(uint32(r.time.Unix()))
	payload, err := compress(unpacked)
	if err != nil {
		return "", nil, err
	}
	h.texts(tagPayloadDigest, fmt.Sprintf("%x", sha256.Sum256(payload)))
	h.numbers(tagPayloadDigestAlgo, sha256Algo)
	body := h.encode(tagImmutable)
	signatures := rpmHeader{}
	signatures.numbers(tagSigSize, uint32(len(body)+len(payload)))
	signatures.text(tagSigSHA256, fmt.Sprintf("%x", sha256.Sum256(body)))
	signatures.numbers(tagSigPayloadSize, uint32(len(unpacked)))
	signed := signatures.encode(tagSignatures)
	full := "superres-" + r.version + "-1"
	data = slices.Concat(rpmLead(full), signed, make([]byte, -len(signed)&7), body, payload)
	return full + "." + arch + ".rpm", data, nil
}

// rpmLead returns the beginning of a package, by which old programs recognise it, and of which RPM reads the magic
// number alone.
func rpmLead(name string) []byte {
	lead := make([]byte, 96)
	copy(lead, "\xed\xab\xee\xdb\x03\x00\x00\x00\x00\x01") // version 3.0, binary
	copy(lead[10:75], name)
	lead[77], lead[79] = 1, 5 // Linux; signatures are a header
	return lead
}

// The tags of headers, their types, and flags, by rpm/rpmtag.h, rpm/rpmds.h and rpm/rpmfiles.h.
const (
	tagSignatures, tagImmutable                    = 62, 63
	tagSigSHA256, tagSigSize, tagSigPayloadSize    = 273, 1000, 1007
	tagI18NTable                                   = 100
	tagName, tagVersion, tagRelease                = 1000, 1001, 1002
	tagSummary, tagDescription, tagGroup           = 1004, 1005, 1016
	tagBuildTime, tagBuildHost, tagSize            = 1006, 1007, 1009
	tagLicense, tagPackager, tagURL                = 1014, 1015, 1020
	tagOS, tagArch, tagSourceRPM, tagEncoding      = 1021, 1022, 1044, 5062
	tagFileSizes, tagFileModes, tagFileRDevs       = 1028, 1030, 1033
	tagFileMTimes, tagFileDigests, tagFileLinkTos  = 1034, 1035, 1036
	tagFileFlags, tagFileUsers, tagFileGroups      = 1037, 1039, 1040
	tagFileVerify, tagFileDevices, tagFileInodes   = 1045, 1095, 1096
	tagFileLangs, tagFileDigestAlgo                = 1097, 5011
	tagDirIndexes, tagBaseNames, tagDirNames       = 1116, 1117, 1118
	tagProvide, tagProvideFlags, tagProvideVersion = 1047, 1112, 1113
	tagRequire, tagRequireFlags, tagRequireVersion = 1049, 1048, 1050
	tagSuggest, tagSuggestVersion, tagSuggestFlags = 5049, 5050, 5051
	tagPayloadFormat, tagCompressor, tagLevel      = 1124, 1125, 1126
	tagPayloadDigest, tagPayloadDigestAlgo         = 5092, 5093

	kindInt16, kindInt32, kindString, kindBin, kindStrings, kindI18N = 3, 4, 6, 7, 8, 9

	sha256Algo       = 8
	senseEqual       = 8
	senseRPMLib      = 1<<24 | senseEqual | 2 // what RPM itself must be able to do, in that version or a later one
	docFile, licFile = 1 << 1, 1 << 7
)

// rpmHeader is a header of a package: values by their tags.
type rpmHeader map[uint32]rpmValue

type rpmValue struct {
	kind, count uint32
	data        []byte
}

func (h rpmHeader) text(tag uint32, s string) { h[tag] = rpmValue{kindString, 1, []byte(s + "\x00")} }
func (h rpmHeader) translated(tag uint32, s string) {
	h[tag] = rpmValue{kindI18N, 1, []byte(s + "\x00")}
}

func (h rpmHeader) texts(tag uint32, list ...string) {
	h[tag] = rpmValue{kindStrings, uint32(len(list)), []byte(strings.Join(list, "\x00") + "\x00")}
}

func (h rpmHeader) numbers(tag uint32, list ...uint32) {
	h[tag] = rpmValue{kindInt32, uint32(len(list)), bigEndian(list)}
}

// bigEndian returns numbers of a fixed size as bytes.
func bigEndian(list any) []byte {
	data, err := binary.Append(nil, binary.BigEndian, list)
	if err != nil {
		panic(err) // cannot happen: these are numbers
	}
	return data
}

// encode returns the header as it is in a file. All of it is one region, whose tag is given: what a digest of the
// header is of.
func (h rpmHeader) encode(region uint32) []byte {
	var index, store []byte
	for _, tag := range slices.Sorted(maps.Keys(h)) {
		v := h[tag]
		switch align := map[uint32]int{kindInt16: 2, kindInt32: 4}[v.kind]; {
		case align > 0:
			store = append(store, make([]byte, -len(store)&(align-1))...)
		}
		index = append(index, bigEndian([]uint32{tag, v.kind, uint32(len(store)), v.count})...)
		store = append(store, v.data...)
	}
	entries := uint32(len(h) + 1)
	first := bigEndian([]uint32{region, kindBin, uint32(len(store)), 16})
	store = append(store, bigEndian([]uint32{region, kindBin, -entries * 16, 16})...)
	return slices.Concat([]byte("\x8e\xad\xe8\x01\x00\x00\x00\x00"), bigEndian([]uint32{entries, uint32(len(store))}),
		first, index, store)
}

// describe says what the package is and what it goes with. terms is an SPDX licence expression.
func (h rpmHeader) describe(r release, arch, terms string) {
	h.texts(tagI18NTable, "C")
	for tag, s := range map[uint32]string{
		tagName: "superres", tagVersion: r.version, tagRelease: "1", tagArch: arch, tagOS: "linux", tagURL: r.url,
		tagLicense: terms, tagPackager: r.maintainer, tagBuildHost: "localhost", tagEncoding: "utf-8",
		tagSourceRPM:     "superres-" + r.version + "-1.src.rpm", // what has this is no source itself
		tagPayloadFormat: "cpio", tagCompressor: "gzip", tagLevel: "9",
	} {
		h.text(tag, s)
	}
	h.translated(tagSummary, summary)
	h.translated(tagDescription, description)
	h.translated(tagGroup, "Unspecified")
	h.numbers(tagBuildTime, uint32(r.time.Unix()))
	h.texts(tagProvide, "superres")
	h.texts(tagProvideVersion, r.version+"-1")
	h.numbers(tagProvideFlags, senseEqual)
	h.texts(tagRequire, "rpmlib(CompressedFileNames)", "rpmlib(FileDigests)", "rpmlib(PayloadFilesHavePrefix)")
	h.texts(tagRequireVersion, "3.0.4-1", "4.6.0-1", "4.0-1")
	h.numbers(tagRequireFlags, senseRPMLib, senseRPMLib, senseRPMLib)
	h.texts(tagSuggest, "libnotify")
	h.texts(tagSuggestVersion, "")
	h.numbers(tagSuggestFlags, 0)
}

// list says which files and folders t has, all of which belong to root and are of the time given.
func (h rpmHeader) list(t tree, seconds uint32) {
	n := len(t)
	var sizes, mtimes, flags, inodes, dirs []uint32
	var modes []uint16
	var digests, bases, folders []string
	var sum uint32
	for i, f := range t {
		digest, flag := "", uint32(0)
		if !f.mode.IsDir() {
			digest = fmt.Sprintf("%x", sha256.Sum256(f.data))
		}
		switch {
		case strings.HasPrefix(f.name, licences):
			flag = licFile
		case strings.HasPrefix(f.name, docs), strings.HasPrefix(f.name, "usr/share/man/"):
			flag = docFile
		}
		folder := "/" + path.Dir(f.name) + "/"
		if !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		sizes, mtimes = append(sizes, uint32(len(f.data))), append(mtimes, seconds)
		flags, inodes = append(flags, flag), append(inodes, uint32(i+1))
		dirs = append(dirs, uint32(slices.Index(folders, folder)))
		modes = append(modes, uint16(unixMode(f.mode)))
		digests, bases = append(digests, digest), append(bases, path.Base(f.name))
		sum += uint32(len(f.data))
	}
	h.numbers(tagSize, sum)
	for tag, list := range map[uint32][]uint32{tagFileSizes: sizes, tagFileMTimes: mtimes, tagFileFlags: flags,
		tagFileInodes: inodes, tagDirIndexes: dirs, tagFileDevices: slices.Repeat([]uint32{1}, n),
		tagFileVerify: slices.Repeat([]uint32{^uint32(0)}, n)} {
		h.numbers(tag, list...)
	}
	for tag, list := range map[uint32][]uint16{tagFileModes: modes, tagFileRDevs: make([]uint16, n)} {
		h[tag] = rpmValue{kindInt16, uint32(n), bigEndian(list)}
	}
	for tag, list := range map[uint32][]string{tagFileDigests: digests, tagBaseNames: bases, tagDirNames: folders,
		tagFileLinkTos: make([]string, n), tagFileLangs: make([]string, n),
		tagFileUsers: slices.Repeat([]string{"root"}, n), tagFileGroups: slices.Repeat([]string{"root"}, n)} {
		h.texts(tag, list...)
	}
	h.numbers(tagFileDigestAlgo, sha256Algo)
}

// unixMode returns a mode as Unix counts it, with the bits for a folder or a regular file.
func unixMode(mode fs.FileMode) uint32 {
	if mode.IsDir() {
		return 0o40000 | uint32(mode.Perm())
	}
	return 0o100000 | uint32(mode.Perm())
}

// cpio returns t as an archive in the "newc" format of cpio(5). Names begin with "./", as those of rpmbuild do, so that
// cpio unpacks them below the folder that it is in.
func (t tree) cpio(seconds uint32) []byte {
	var b bytes.Buffer
	add := func(inode, mode uint32, name string, data []byte) {
		b.WriteString("070701")
		for _, n := range []uint32{
			inode, mode, 0, 0, 1, seconds, uint32(len(data)), 0, 1, 0, 0, uint32(len(name) + 1), 0,
		} {
			fmt.Fprintf(&b, "%08x", n)
		}
		b.WriteString(name + "\x00")
		b.Write(make([]byte, -b.Len()&3))
		b.Write(data)
		b.Write(make([]byte, -b.Len()&3))
	}
	for i, f := range t {
		add(uint32(i+1), unixMode(f.mode), "./"+f.name, f.data)
	}
	add(0, 0, "TRAILER!!!", nil)
	return b.Bytes()
}
