"""Turns arrays and images into files for the program, and its files into arrays and images."""

from __future__ import annotations

import io
import os
import struct
import sys
import zlib
from typing import TYPE_CHECKING, Any

from ._program import refuse_masked

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image


def is_pil(image: object) -> bool:
    """Report whether image is a PIL image; Pillow is not imported for that."""
    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(image, module.Image)


def encode_pil(image: Image) -> bytes:
    """Return image as a PNG. TypeError is raised for a mode that PNG does not have."""
    if image.mode not in ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "I", "I;16"):
        raise TypeError(f'an image of mode {image.mode} cannot be enlarged; use image.convert("RGB")')
    if image.mode == "PA":
        image = image.convert("RGBA")
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=0, exif=b"")  # pixels count as they are, without an orientation
    return file.getvalue()


def decode_pil(file: bytes, like: Image) -> Image:
    """Return the image in file, a PNG; with an alpha, full everywhere, where like has one; of mode I;16 where like is."""
    from PIL import Image

    result: Image.Image = Image.open(io.BytesIO(file))
    result.load()
    if like.mode == "I;16" and result.mode == "I":  # as Pillow before 11 reads 16 bits
        result = result.convert("I;16")
    if like.mode in ("LA", "RGBA") and result.mode in ("L", "RGB"):
        result = result.convert(like.mode)
    return result


def encode_array(image: Any) -> bytes:
    """Return an array as a PNG of its pixels. It raises TypeError or ValueError if it is no picture."""
    import numpy

    if isinstance(image, (str, bytes, os.PathLike)):
        raise TypeError(f"{os.fspath(image)!r} is the name of a file; open it with Pillow: "
                        "superres.upscale(PIL.Image.open(name))")
    refuse_masked(image)
    pixels = numpy.asarray(image)
    if pixels.dtype.kind != "u" or pixels.dtype.itemsize > 2:
        raise TypeError(f"an array of {pixels.dtype} cannot be enlarged, but one of uint8 or uint16; for values from "
                        "0 to 1: numpy.round(array * 255).astype(numpy.uint8)")
    if pixels.ndim not in (2, 3) or pixels.ndim == 3 and not 1 <= pixels.shape[2] <= 4:
        raise ValueError(f"an array of shape {pixels.shape} is no picture; expected (height, width) or (height, width, "
                         "channels) with 1 to 4 channels: grey, grey and alpha, RGB, RGBA")
    if pixels.size == 0:
        raise ValueError(f"an array of shape {pixels.shape} has no pixels")
    height, width = pixels.shape[:2]
    channels = pixels.size // (height * width)
    depth = 8 * pixels.dtype.itemsize
    samples = numpy.ascontiguousarray(pixels, f">u{depth // 8}").reshape(height, -1).view(numpy.uint8)
    rows = numpy.zeros((height, 1 + samples.shape[1]), numpy.uint8)  # before each row the number of its filter, 0
    rows[:, 1:] = samples
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    level = 0 if rows.size < 200 << 20 else 1  # the program reads files of up to 256 MiB
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return b"".join((b"\x89PNG\r\n\x1a\n", _chunk(b"IHDR", head),
                     _chunk(b"IDAT", zlib.compress(rows.data, level)), _chunk(b"IEND", b"")))


def _chunk(kind: bytes, content: bytes) -> bytes:
    """Return a chunk of a PNG."""
    return b"".join((struct.pack(">I", len(content)), kind, content,
                     struct.pack(">I", zlib.crc32(content, zlib.crc32(kind)))))


def format_of(image: Any) -> str:
    """Return the format in which an array comes back: bmp where it can hold the result, which is the quickest; or tiff.

    Not png, since the filters of its rows cannot be undone for many pixels at a time.
    """
    import numpy

    pixels = numpy.asarray(image)
    is_opaque = pixels.ndim == 2 or pixels.shape[2] in (1, 3)
    return "bmp" if pixels.dtype.itemsize == 1 and is_opaque else "tiff"


def decode_array(name: str, file: bytes, like: Any) -> NDArray[Any]:
    """Return the pixels in file, of the format called name, with the number of dimensions and channels of like."""
    import numpy

    pixels = _decode_bmp(file) if name == "bmp" else _decode_tiff(file)
    shape = numpy.shape(like)
    channels = shape[2] if len(shape) == 3 else 1
    has_alpha = channels in (2, 4)
    if has_alpha and pixels.shape[2] % 2 == 1:  # the program leaves out an alpha that is full everywhere
        full = numpy.full(pixels.shape[:2] + (1,), numpy.iinfo(pixels.dtype).max, pixels.dtype)
        pixels = numpy.concatenate((pixels, full), axis=2)
    if channels < 3 and pixels.shape[2] > 2:  # grey as red, green and blue
        pixels = pixels[:, :, [0, 3] if has_alpha else [0]]
    if channels > 2 and pixels.shape[2] < 3:
        pixels = pixels[:, :, [0, 0, 0, 1][:channels]]
    return numpy.ascontiguousarray(pixels if len(shape) == 3 else pixels[:, :, 0])


def _decode_bmp(file: bytes) -> NDArray[Any]:
    """Return the pixels in file, a BMP without compression, as (height, width, samples): a palette has greys alone."""
    import numpy

    start, _, width, height, _, bits = struct.unpack_from("<IIiiHH", file, 10)
    samples = bits // 8
    rows = numpy.frombuffer(file, numpy.uint8, offset=start).reshape(height, -1)[::-1]  # from the last to the first
    return rows[:, :width * samples].reshape(height, width, samples)[:, :, ::-1]  # of blue, green and red


def _decode_tiff(file: bytes) -> NDArray[Any]:
    """Return the pixels in file, a TIFF in strips of deflate with differences, as (height, width, samples)."""
    import numpy

    order = "<" if file[:2] == b"II" else ">"
    (directory,) = struct.unpack_from(order + "I", file, 4)
    (count,) = struct.unpack_from(order + "H", file, directory)
    fields = {}
    for at in range(directory + 2, directory + 2 + 12 * count, 12):
        tag, kind, length = struct.unpack_from(order + "HHI", file, at)
        if kind in (3, 4):  # numbers of 16 and 32 bits
            size = 2 if kind == 3 else 4
            start = at + 8 if size * length <= 4 else struct.unpack_from(order + "I", file, at + 8)[0]
            fields[tag] = struct.unpack_from(f"{order}{length}{'H' if kind == 3 else 'I'}", file, start)
    (width,), (height,), (samples,), bits = fields[256], fields[257], fields[277], fields[258][0]
    if fields[259] != (8,) or fields.get(317) != (2,) or fields.get(338, (2,)) != (2,):
        raise ValueError("the program has written a TIFF that this module does not read; install both again")
    pixels = numpy.empty((height, width, samples), numpy.dtype(f"u{bits // 8}"))
    row = 0
    for offset, length in zip(fields[273], fields[279]):
        strip = zlib.decompress(memoryview(file)[offset:offset + length])
        differences = numpy.frombuffer(strip, f"{order}u{bits // 8}").reshape(-1, width, samples)
        rows = pixels[row:row + len(differences)]
        numpy.cumsum(differences, axis=1, dtype=pixels.dtype, out=rows)
        row += len(rows)
    return pixels
