package video

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// unwanted returns the tracks that FFmpeg makes a default although the input has no default of their kind: the first
// subtitles, which players would then show, and, if the input is MP4, too, the first sound. From others the first sound
// stays the default, as some players of MP4 play only this. Track 0 is the video, then come the streams in list.
func (p *probed) unwanted(list []copied) (tracks []int) {
	for _, kind := range []string{"audio", "subtitle"} {
		track, first := 0, 0                    // numbers of the present track, and of the first of the kind
		wanted := kind == "audio" && !p.isMP4() // the first of the kind is rightly the default
		for _, s := range list {
			if s.isCover() { // a cover is no track
				continue
			}
			if track++; s.Type != kind {
				continue
			}
			if first == 0 {
				first = track
			}
			wanted = wanted || s.Disposition["default"] != 0
		}
		if first > 0 && !wanted {
			tracks = append(tracks, first)
		}
	}
	return tracks
}

// boxes calls visit for each box in data (ISO/IEC 14496-12, 4.2), with the kind and the content of the box. content
// shares the memory of data. It stops at the first error of visit, and fails if a box is larger than data.
func boxes(data []byte, visit func(kind string, content []byte) error) error {
	for len(data) >= 8 {
		size, head := uint64(binary.BigEndian.Uint32(data)), uint64(8)
		if size == 1 && len(data) >= 16 { // a size of 8 bytes follows the kind
			size, head = binary.BigEndian.Uint64(data[8:]), 16
		}
		if size < head || size > uint64(len(data)) {
			return errors.New("has a box of a wrong size")
		}
		if err := visit(string(data[4:8]), data[head:size]); err != nil {
			return err
		}
		data = data[size:]
	}
	return nil
}

// hideTracks clears the flag track_enabled (ISO/IEC 14496-12, 8.3.2) of tracks, numbered from 0, in the MP4 file at
// path, so that no player chooses them by itself. It changes only the index, the box moov, and fails without it.
func hideTracks(path string, tracks []int) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	for at := int64(0); ; {
		var head [16]byte
		if n, err := f.ReadAt(head[:], at); n < len(head) {
			return fmt.Errorf("its tracks are not found: %w", err)
		}
		size, start := int64(binary.BigEndian.Uint32(head[:])), int64(8)
		if size == 1 {
			size, start = int64(binary.BigEndian.Uint64(head[8:])), 16
		}
		const most = 1 << 28 // bytes of the index of a video that lasts days
		switch isIndex := string(head[4:8]) == "moov"; {
		case size < start || isIndex && size > most:
			return errors.New("its tracks are not found")
		case !isIndex:
			at += size
			continue
		}
		index := make([]byte, size-start)
		if _, err := io.ReadFull(io.NewSectionReader(f, at+start, size-start), index); err != nil {
			return err
		}
		number := 0
		err := boxes(index, func(kind string, track []byte) error {
			if kind != "trak" {
				return nil
			}
			number++
			return boxes(track, func(kind string, content []byte) error {
				if kind == "tkhd" && len(content) > 3 && slices.Contains(tracks, number-1) {
					content[3] &^= 1 // the last of three bytes of flags, after a byte with the version
				}
				return nil
			})
		})
		if err == nil {
			_, err = f.WriteAt(index, at+start)
		}
		return err
	}
}
