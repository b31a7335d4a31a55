package upscale

// examples are in the short help, which uses no word that a photographer does not know.
const examples = `   superres upscale photo.jpg                     makes photo_2x.jpg, twice as large
   superres upscale -s 4 photo.jpg large.png      four times as large, named by you
   superres upscale photos/ -o large/             a whole folder`

// description is the text before the flags in the full help.
const description = `   superres upscale photo.jpg                      writes photo_2x.jpg beside it
   superres upscale -s 3 photo.png -o large.png    any scale from 1 to 16
   superres upscale photo.png large.png            the same as with -o, if there is no large.png yet
   superres upscale --fit 3840x2160 photo.png      the largest that a screen holds
   superres upscale -o large/ photos/ more/*.png   folders and files into one folder
   superres upscale -r --resume -o large/ photos/  goes on where it was interrupted
   superres upscale --dry-run -r photos/           what would be made, and nothing else
   superres upscale - < in.png > out.png           a pipe
   superres upscale in.mp4                         writes in_2x.mp4, with its sound
   ffmpeg -i in.mp4 -f yuv4mpegpipe - | superres upscale - |
   ffmpeg -i - -i in.mp4 -c:a copy out.mp4         the same by hand, by FFmpeg
   superres upscale --effort fast photos/          quick: in a third of the time
   superres upscale --effort max photo.jpg         the finest, eight times as long
   superres upscale -m bicubic photo.jpg           plain interpolation, for comparison
   superres upscale -m upscayl-lite-4x.param photo.jpg
                                                   by a network of another program

A side is rounded to the nearest pixel, halves up: -s 1.5 takes 9×7 to 14×11, --width
20 to 20×16. Nothing is ever made smaller. A scale that no model was made for is
reached by the least enlargement by 2, 3 and 4 that goes past it, and an exact
reduction from there.

Noise and compression are measured in the samples of a picture. One that has some,
beyond doubt, is enlarged by photo-real, which takes as much away; others are by photo,
which keeps all that is there, with the colour of photo-real where noise is in colour
alone. Of a picture by photo that looks sharpened, or reduced without antialiasing,
--verbose, --dry-run and --json tell that; -m photo-real may do better. Where noise varies over a picture, as where a
photograph stands on a page, as much is taken away as there is in each part; this takes
twice as long. --denoise 0 takes nothing away, 0.2 what noise of 5 levels of 255 asks for,
1 what noise of 25 does, everywhere; --verbose, --dry-run and --json tell what was found.
--strength below 1 adds less detail, up to 1.3 more.

-m takes the files of networks that other programs use, too: ncnn (.param with .bin),
ONNX, safetensors and PyTorch's .pth. A network is imported once, to integers, and kept
in the cache of the user; superres models add gives it a name for good. Without a size
it enlarges by its own scale. Many such networks invent detail: the line of a picture
has the LR-PSNR, how near the result, reduced again, is to the picture; --back-projection
10 brings it nearer, and --strength 0.5 takes half of what the network adds. --verbose
tells where values left the range of its integers.

PNG, JPEG, GIF, BMP, TIFF and WebP are read; PNG, JPEG, WebP, BMP and TIFF are written,
PNG where the input is a GIF of one picture, and animations as below. WebP is lossless,
and a side of it has at most 16383 pixels. Grey stays grey, with alpha or without (in
TIFF and WebP, grey with alpha becomes colour), 16 bits stay 16 in PNG and TIFF, palettes
become colour, CMYK becomes RGB by plain arithmetic, and JPEGs have colour at full
resolution (4:4:4). In JPEG and BMP transparency becomes white.

Pictures are turned upright by their orientation tag, which then says so. ICC
profile, EXIF, XMP, IPTC and resolution are kept byte for byte, but for that tag. Left
out are a profile that is for colour when the output is grey, or the other way round, the
small copy inside EXIF when the picture was turned, and what is damaged or larger
than 16 MiB: that never fails a picture, and is said in one line. The texts of a PNG
stay in a PNG, comments of a JPEG in a JPEG; WebP and BMP have no IPTC. The size that
some EXIF blocks repeat stays that of the input. --provenance writes Software in PNG,
TIFF and the EXIF of a WebP, the comment of a JPEG: program, version, model with its
hash, and settings, no time and no folder.

A picture may be as large as --max-memory holds: PNG and JPEG without transparency are
written in strips, so that 100 megapixels ×2 fit into the default. Above 50 megapixels
a file must have a byte for every 200 pixels, as all photographs have: a small file may
claim any size. --max-pixels says another limit. A result has at most 4000 megapixels.

Folders are mirrored: -r photos/ -o large/ makes large/a/b_2x.jpg of photos/a/b.jpg.
What is a picture in them is told by its content. Those of kinds that cannot be read,
such as HEIC and the raw files of cameras, are counted in the end; --verbose, --dry-run
and --json list them, and --on-unreadable fail refuses the folder.
Of several pictures, those that superres enlarged before, by the Software in them, are
left out, so that a command on *.jpg can be given twice; --on-result take enlarges
them, too, and so does a call on nothing else.
Two inputs with one output, an output that exists, and a folder that cannot be
written to are found before any work. As many pictures are in work at once as there
are processors (-j), and no more than have room together in --max-memory, by the
estimates that --dry-run shows; one that needs it all has it alone. The results and
the order of what is told are the same with any -j.

Animations, as GIF, PNG or WebP, and TIFFs of several pages are enlarged picture by
picture, and come out as what they were, WebP as animated PNG; --format or -o may say png
or gif, or tiff for a page a frame. --first-frame takes the first picture alone. Each
frame is enlarged as it is seen, all by one model, which the first two choose as for
video, so that what stands still stays the same bytes, beside what moves, too. Delays,
also of nothing, and how often it is played stay as they are; a GIF has hundredths of a
second, of a delay that is none 2 at least. A picture of a PNG that is no part of its
animation is left out. The colours of a GIF are chosen once, from all frames, and not
dithered; what is less than half opaque is transparent in it. What is said of the whole
file is kept as of a picture, in a GIF nothing. Pages keep their own sizes, depths,
resolutions and metadata; smaller copies and masks of pages are left out. All frames are
looked at before any is enlarged, and a file is whole or not there, in a pipe as well.
--max-pixels counts a picture, by default 50 million pixels, and all of a file may have
100 times as many, at most 50000 pictures; --timeout, where it is given, counts the file, and else the decoding of
a picture. --resume goes on with files, and begins each anew.

Video files (MP4, MOV, M4V, MKV, WebM, AVI and others) are read and written by the
programs ffmpeg and ffprobe, which must be on the path, one file at a time. MP4, MOV, M4V,
MKV and WebM become what they were, others MKV, which holds any sound; -o or --name may
say another. Each frame is enlarged as one of Y4M is, below, and shown when it was: a
frame rate that varies still does. Sound is copied, packet by packet; a container that
does not take it is refused before any work. Subtitles are copied, or written in the form
that the container has; chapters, languages, titles, dates, places and, in MP4 and MOV,
the cover are kept, unless --metadata strip. What is left out is said: pictures as
subtitles where only MKV takes them, the data of cameras, transparency, HDR screens'
data, all videos but the first. The flags of colour (matrix, range, primaries, transfer)
are those of the input; where it has no matrix, and programs would take the larger video
for another, BT.601 is said. The encoder is libx264 at CRF 16 in 4:2:0, or MPEG-4 where
ffmpeg has none; libx265 at CRF 18 for more than 8 bits; libvpx-vp9 at CRF 20 in WebM.
Turned video comes out upright. Odd sides get one row or column more, a copy of the last.
Interlaced video goes through ffmpeg's bwdif. Videos in folders are left alone: name
them, as in videos/*.mp4. --resume is refused; --on-exist skip leaves out what is done.

Y4M (YUV4MPEG2) in a file or a pipe becomes Y4M, a call for each stream: 4:2:0 as
jpeg, mpeg2 or paldv, 4:1:1, 4:2:2, 4:4:4 or mono, of 8 to 16 bits; 420p10 and the
like are taken to have colour on the left, as mpeg2. All that the header says but the
size stays. Y, Cb and Cr are enlarged as they are, whatever their range and matrix, by
the model, Cb and Cr from where a layout has them to where it has them. Nothing is cut
off at the ends of limited range: a result may pass them, as an input may. Each frame
is enlarged for itself, as a picture is: there is no model of motion. The same frame
gives the same bytes. How much noise is taken away is found in the first two frames
and holds for all: that of a picture, and less noise, too, where it is another in the
second frame, as it would shimmer. --denoise says it by hand. Interlaced video is
refused. As many frames are in work at once as there are processors, and as have room
in --max-memory; they are written in their order. --max-pixels (by default 50) and
--timeout count a frame. A file is whole or not there; a pipe ends with a whole frame, also when it is
interrupted or the input is cut. --resume does not go on within a stream.

--resume keeps .superres-journal.jsonl in the folder of the outputs. A picture that
it has is made again only when its input (size, time, or else SHA-256), the settings,
the model or the version of superres have changed. Results that it has not are
somebody else's: --on-exist says what becomes of them. --shard takes a part by a hash
of the path below the folder: a picture stays in its part when others are added. Each
part keeps a journal of its own, .superres-journal.I-of-N.jsonl, that all others
read.

--json writes result for every picture that superres enlarged before and that is left
out, unreadable for every picture of a folder that is of a kind that cannot be read, and for every other picture skip, or start and then done or fail, with input
and output, sizes, seconds, model, level and what was found, warnings of what the
output has not got of its input, and the class and exit code of an error (usage, input, output, model, limit, other), and
in the end a summary; of a stream of frames, an animation or a file with pages there is a
frame for each that is written, with its number; with --dry-run it is skip, plan (with memory) or fail. A byte of
a name that is of no UTF-8 is \u0000 and its two hexadecimal digits, there and in the
journal: \u0000ff. Without --json there is a bar with the time left on a terminal, of video with frames a second, elsewhere a line a picture for
several.`
