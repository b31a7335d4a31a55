package upscale

// examples are for the short help, which uses only words that photographers know.
const examples = `   superres upscale photo.jpg                     makes photo_2x.jpg, twice as large
   superres upscale -s 4 photo.jpg large.png      four times as large, named by you
   superres upscale photos/ -o large/             a whole folder
   superres upscale in.mp4                        a video, with its sound, where FFmpeg is installed`

const restoringExamples = `   superres restore photo.jpg            makes photo_restored.jpg
   superres restore scans/ -o clean/     a whole folder`

// restoring is the description in the full help of superres restore.
const restoring = `   superres restore photo.jpg                   writes photo_restored.jpg beside it
   superres restore -r -o clean/ scans/         a folder with all below it
   superres restore --denoise 0.4 photo.jpg     takes away what noise of 10 levels asks for
   superres restore -m photo-real photo.png     without judging the picture first
   superres restore -f png --dry-run *.jpg      what was found, and nothing else

HOW
What superres upscale finds in a picture (noise, compression, blur, sharpening) is taken
away at the size that the picture has: it is enlarged by photo-real and reduced again. In
doubt the result is a mixture with the picture, and a clean picture stays as it is, byte
for byte of its pixels. superres upscale -s 1 is the same. superres upscale --help all
tells of files, formats, metadata and --json.`

// description is the description in the full help of superres upscale: examples, and what the flags do.
const description = `   superres upscale photo.jpg                      writes photo_2x.jpg beside it
   superres upscale -s 3 photo.png -o large.png    any scale from 1 to 16
   superres upscale photo.png large.png            the same as with -o, if there is no large.png yet
   superres upscale --fit 3840x2160 photo.png      the largest that a screen holds
   superres upscale -o large/ photos/ more/*.png   folders and files into one folder
   superres upscale -r --resume -o large/ photos/  goes on where it was interrupted
   superres upscale -r --dry-run photos/           what would be made, and nothing else
   superres upscale --effort fast photos/          quick: in a third of the time
   superres upscale --effort max photo.jpg         the finest, four times as long
   superres upscale in.mp4                         writes in_2x.mp4, with its sound
   superres upscale book.cbz -o large.cbz          a comic; what is no page of it stays as it is
   superres upscale - < in.png > out.png           a pipe
   superres upscale -m bicubic photo.jpg           plain interpolation, for comparison
   superres upscale -m upscayl-lite-4x.param photo.jpg
                                                   by a network of another program

SIZES
A side is rounded to the nearest pixel, halves up: -s 1.5 takes 9×7 to 14×11, --width
20 to 20×16. Nothing is made smaller. A scale for which there is no model is reached by
the least enlargement by 2, 3 and 4 that goes past it, and an exact reduction from there.

BLUR, NOISE AND COMPRESSION
The networks know pictures that are as sharp as a good reduction makes them. If one is softer
beyond doubt, a filter undoes its blur first, over the whole picture alike. The levels of a
PNG, BMP or TIFF file of 8 bits betray an unsharp mask, which is undone then; other
sharpening is undone as far as it is likely.

Noise and compression are measured in every picture, and signs of sharpening, grain, salt,
dithering, or of a reduction without antialiasing. A clean picture is enlarged by photo,
which keeps what is there, others by photo-real, which takes away what it was measured to
hold. In doubt the result is a mixture of both, the lesser by a faster network, or of
interpolation and one of them. Where noise is in colour alone, only colour is by photo-real.
Where noise varies, as where a photograph stands on a page, each part loses what it has.

--denoise 0 takes nothing away and undoes neither blur nor sharpening, 0.2 takes away what
noise of 5 levels of 255 asks for, 1 what noise of 25 does, everywhere. -m photo takes every
picture for clean.
--verbose, --dry-run and --json tell what was found, and the share of each model.
--strength below 1 adds less detail, up to 1.3 more.

NETWORKS OF OTHER PROGRAMS
-m takes files of ncnn (.param, with .bin beside it), ONNX, safetensors and PyTorch
(.pth); superres models add gives a network a name for good. Without a size it enlarges
by its own scale.

Many such networks invent detail. The line of a picture has the LR-PSNR, how near the
result, reduced again, is to the picture: --back-projection 10 brings it nearer, and
--strength 0.5 takes half of what the network adds. --verbose and --json have the LR-PSNR
of all models.

FORMATS
PNG, JPEG, GIF, BMP, TIFF and WebP are read. A result has the format of its picture, or
PNG if that is a GIF of one picture. JPEGs are written with colour at full resolution
(4:4:4), TIFFs compressed, and WebPs lossless, of at most 16383 pixels a side. Grey stays
grey; in TIFF and WebP, grey with transparency becomes colour. 16 bits stay 16 in PNG and
TIFF. Palettes become full colour, CMYK becomes RGB by plain arithmetic, and in JPEG and
BMP transparency becomes white.

METADATA
ICC profile, EXIF, XMP, IPTC and resolution are kept byte for byte. Only the orientation
tag changes, since pictures are turned upright; a size that EXIF repeats stays that of the
input. What a result does not have is said in one line and never fails a picture: IPTC in
WebP, all but the resolution in BMP, the texts of a PNG and the comments of a JPEG in
other formats, by name, a profile for colour in a result that is grey, the small copy inside EXIF
of a picture that was turned, and what is damaged or larger than 16 MiB.

What a PNG says about its colours without a profile (cICP, gAMA and cHRM) is kept in a
PNG, and becomes an ICC profile in other formats.

--keep-dates gives a result the date of the last change of its input.

A result notes what made it: program, version, model with its hash, and settings, no time
and no folder. That is Software in PNG and TIFF and in the EXIF of a WebP, and the comment
of a JPEG. --provenance=false leaves it out.

LIMITS OF A PICTURE
A picture may be as large as --max-memory holds. PNG and JPEG without transparency are
written in strips, so that 100 megapixels ×2 fit into the default. Above 50 megapixels a
file must have a byte for every 200 pixels, as all photographs have, since a small file
may claim any size; a frame of an animation or of Y4M has at most 50 megapixels.
--max-pixels sets another limit for all of them. A result has at most 4000 megapixels.

FOLDERS
Folders are mirrored: -r photos/ -o large/ makes large/a/b_2x.jpg of photos/a/b.jpg. A
picture is told by its content, not by its name. HEIC, JPEG XL and raw files of
cameras are read by programs that are there (--decoder). Files of kinds that cannot be
read are counted in the end; --verbose, --dry-run and --json list them.

Pictures that superres made, as their metadata note, are left out where there are others,
so that a command on *.jpg can be given twice; --on-result take enlarges them, too.

Two inputs with one output, an output that exists, and a folder that cannot be written to
are found before any work. As many pictures are in work at once as there are processors
(-j), and no more than fit into --max-memory by the estimates that --dry-run shows.
Results, and the order of what is told, are the same with any -j.

ANIMATIONS AND PAGES
Animations (GIF, PNG, WebP) and TIFFs of several pages come out as what they were, WebP
as animated PNG; -f or -o may say png or gif, or tiff for a page a frame. --first-frame
takes the first picture alone. All frames are by one model, which the first two choose,
and what stands still has the same bytes in every frame.

Delays and repetitions are kept; those of other files are rounded to a GIF's hundredths of
a second, 2 at least. A GIF has one palette for all frames, without dithering, nothing that is half
transparent, and no metadata. A picture of a PNG that is no part of its animation is left
out. Pages keep their own sizes, depths, resolutions and metadata; smaller copies and
masks of pages are left out.

All frames are looked at before any is enlarged, and a file is whole or not there. It may
have 50000 pictures, and as many pixels as 100 of the largest that --max-pixels allows.
--timeout, if it is given, counts the whole file. --resume begins each file again.

VIDEO
MP4, MOV, M4V, MKV, WebM, AVI and other video files are read and written by ffmpeg and
ffprobe, which must be on the path, one file at a time. MP4, MOV, M4V, MKV and WebM stay
what they were, others (DV, MXF, raw H.264 and HEVC, too) become MKV, which holds any
sound; -o or --name may say another. Videos in folders are left alone, and counted in the
end: name them, as in videos/*.mp4. Those that superres made are left out as pictures are.

With --resume a video is encoded in parts of 250 frames, which lie in a hidden folder
beside the result until it is made: an interruption, a full disk or a crash loses one part
at most. The frames and their times are those of one run; the bytes are not, and as much
space again is taken meanwhile. A run without --resume starts over. A video that ends
before the frames that it promises is made as far as it goes; a line says so, and the exit
code is that of a damaged input, 4.

Frames are enlarged as those of Y4M are, below, and shown when they were, also where the
rate varies. Turned video comes out upright, and an odd side gets one more row or column,
a copy of the last. Interlaced video goes through ffmpeg's bwdif.

Sound is copied, packet by packet; a container that does not take it is refused before
any work. Subtitles are copied, or written in the form that the container has. Chapters,
languages, titles, dates, places, what players take by themselves, and, in MP4 and MOV,
the cover are kept, unless --metadata strip. What is left out is said: pictures as
subtitles where only MKV takes them, the data of cameras, what is for HDR screens, captions
in the pictures, all videos but the first. Transparency is kept in WebM, and from MKV in
MKV, as VP9 in 4:2:0 of 8 bits, where ffmpeg has libvpx; else that it is left out is said.

The flags of colour (matrix, range, primaries, transfer, siting) stay. A small video without a
matrix that programs would take for another once it is large gets BT.601, which it had.
The encoder is libx264 at CRF 16, or MPEG-4 where ffmpeg has none; libx265 at CRF 18 for
more than 8 bits; libvpx-vp9 at CRF 20 in WebM. 4:2:2 and 4:4:4 stay, and RGB becomes
4:4:4; what an encoder does not take is said. Not all players show these: -pix_fmt of the
lines below chooses another.

By hand, with encoders and filters of your own, this keeps the sound and, of an HD video,
the colour matrix; of a smaller one write smpte170m:

   ffmpeg -i in.mp4 -f yuv4mpegpipe -strict -1 - | superres upscale - |
   ffmpeg -i - -i in.mp4 -map 0:v -map "1:a?" -c:a copy -crf 16 \
      -vf setparams=colorspace=bt709 -pix_fmt yuv420p out.mp4

Y4M
A Y4M stream (YUV4MPEG2), in a file or a pipe, becomes Y4M, one in a call: 4:2:0 as jpeg,
mpeg2 or paldv, 4:1:1, 4:2:2, 4:4:4, 444alpha or mono, of 8 to 16 bits. 420p10 and the like are
taken to have colour on the left, as mpeg2. The header stays, but for the size. Y, Cb and
Cr are enlarged by the model as they are, whatever their range and matrix, and values
outside the limited range are kept.

Each frame is enlarged on its own, as a picture is; there is no model of motion, and the
same frame gives the same bytes. The first two frames decide for all how much noise is
taken away: less than from a picture where the noise of the second is another, which would
shimmer. --denoise says it by hand. Interlaced streams are refused. --timeout counts a
frame. A file is whole or not there; a pipe ends with a whole frame, also when it is
interrupted or the input is cut.

RESUMING AND SHARING
--resume keeps .superres-journal.jsonl in the folder of the outputs. A picture in it is
made again only when its input (size, time, or else SHA-256), the settings, the model or
the version of superres have changed. Results that are not in it are somebody else's:
--on-exist says what becomes of them. --shard takes a part by a hash of the path below the
folder, so that a picture stays in its part when others are added. Each part keeps a
journal of its own, .superres-journal.I-of-N.jsonl, that all others read.

EVENTS
--json writes an event a line. A picture has start, and then done or fail; or skip; or,
with --dry-run, plan. Their fields are input and output, sizes, seconds, memory, model,
level and what was found, warnings of what the output does not have, and of an error its
class (usage, input, output, model, limit, other) and exit code. There is a result for
every picture that superres made and that is left out, an unreadable for every one of a
kind that cannot be read, a video for every video in a folder, a frame for each frame or
page that is written, and at last a summary. A byte of a name that is no UTF-8 is \u0000
and its two hexadecimal digits, there and in the journal: \u0000ff.`
