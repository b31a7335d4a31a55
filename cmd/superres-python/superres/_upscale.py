"""Enlarges arrays and images, by a process of the program that stays.

The process is superres serve --listen -, which answers the requests of HTTP that it reads from a pipe, and ends when
the pipe is closed, as it is when Python ends, in whatever way.
"""

from __future__ import annotations

import http.client
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import weakref
from typing import TYPE_CHECKING, IO, Any, Union, overload

from . import _picture
from ._program import Error, WINDOWLESS, find_program, last_words

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image

Option = Union[str, int, float, bool, "tuple[int, ...]"]


class Upscaler:
    """Enlarges pictures by a process of its own, which is started when it is first needed.

    jobs is how many processors it uses (None: all), max_memory for how many MiB it refuses a picture (None: 2048), and
    max_pixels for how many megapixels (None: for what the memory does not hold).

    It may be used by several threads: their pictures take turns, and each is worked on by all processors. After a fork
    the child starts a process of its own. close, the end of a with statement, or the end of Python ends the process;
    a killed Python does so too.
    """

    def __init__(self, *, jobs: int | None = None, max_memory: int | None = None,
                 max_pixels: float | None = None) -> None:
        self._flags: list[str] = []
        for flag, value in (("jobs", jobs), ("max-memory", max_memory), ("max-pixels", max_pixels)):
            if value is not None:
                self._flags.append(f"--{flag}={value}")
        self._lock = threading.Lock()
        self._process: _Process | None = None
        _all.add(self)

    def __enter__(self) -> Upscaler:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process. The next picture starts it again."""
        with self._lock:
            self._end()

    @overload
    def upscale(self, image: Image, scale: float | None = ..., model: str = ..., **options: Option) -> Image: ...

    @overload
    def upscale(self, image: NDArray[Any], scale: float | None = ..., model: str = ...,
                **options: Option) -> NDArray[Any]: ...

    def upscale(self, image: Any, scale: float | None = None, model: str = "auto", **options: Option) -> Any:
        """Return image enlarged: see superres.upscale."""
        own = sorted(options.keys() & {"format", "id", "metadata", "name", "provenance"})
        if own:
            raise TypeError(f"{own[0]}: is an option of files; the result is an array or an image in memory")
        if _picture.is_pil(image):
            name, file = "png", _picture.encode_pil(image)
        else:
            file = _picture.encode_array(image)
            name = "tiff" if "depth" in options else _picture.format_of(image)
        given: dict[str, Option | None] = {"scale": scale, "model": model, "format": name, "provenance": False,
                                           **options}
        parameters = {option.replace("_", "-"): _text(option, value) for option, value in given.items()
                      if value is not None}
        result = self._request("/v1/upscale?" + urllib.parse.urlencode(parameters), file)
        if name == "png":
            return _picture.decode_pil(result, image)
        return _picture.decode_array(name, result, image)

    def _request(self, address: str, body: bytes) -> bytes:
        """Return the answer of the process to a request, which is tried again where the process had ended before."""
        with self._lock:
            while True:
                process = self._process
                is_new = process is None
                if process is None:
                    process = self._process = _Process(self._flags)
                    weakref.finalize(self, process.end)
                try:
                    response, content = process.request(address, body)
                    break
                except (OSError, http.client.HTTPException):
                    code = self._end()
                    if is_new:
                        raise Error(process.words(code), code or 1) from None
                except BaseException:  # such as KeyboardInterrupt: an answer may be under way
                    process.kill()
                    self._end()
                    raise
            if response.will_close:
                self._end()
        if response.status != http.client.OK:
            answer = json.loads(content)
            raise Error(answer["error"], answer["exit"])
        return content

    def _end(self) -> int | None:
        """End the process, if there is one, and return its exit code."""
        process, self._process = self._process, None
        return process.end() if process else None

    def _forget(self) -> None:
        """Leave the process to the parent of this one, which was forked from it."""
        self._lock = threading.Lock()  # another thread of the parent may have held it
        if self._process:
            self._process.forget()
            self._process = None


class _Process:
    """A process of superres serve --listen -. It is used by one thread at a time."""

    def __init__(self, flags: list[str]) -> None:
        program, options = find_program(), dict(WINDOWLESS)
        # Ctrl-C is for Python, which goes on and needs the process again.
        if sys.platform == "win32":
            options["creationflags"] |= subprocess.CREATE_NEW_PROCESS_GROUP
        else:
            options["start_new_session"] = True
        self._stderr, self._said = tempfile.TemporaryFile(), b""
        self._popen: subprocess.Popen[bytes] = subprocess.Popen(
            [program, "serve", "--listen=-", "--quiet", *flags], bufsize=0, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self._stderr, **options)
        assert self._popen.stdin and self._popen.stdout
        self._in, self._out = self._popen.stdin, self._popen.stdout
        self._owner = os.getpid()

    def request(self, address: str, body: bytes) -> tuple[http.client.HTTPResponse, bytes]:
        """Return the answer to a request, and its content. It fails where the process ends before that."""
        head = f"PUT {address} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        try:
            for part in (head.encode("ascii"), body):
                rest = memoryview(part)
                while rest:
                    rest = rest[self._in.write(rest):]
        except OSError:
            pass  # it may have answered before it has read the whole picture
        response = http.client.HTTPResponse(_Pipe(self._out), method="PUT")  # type: ignore[arg-type]
        response.begin()
        return response, response.read()

    def words(self, exit_code: int | None) -> str:
        """Return what the process said last, after its end."""
        return last_words(self._said, exit_code)

    def kill(self) -> None:
        self._popen.kill()

    def end(self) -> int | None:
        """End the process by closing its input, and return its exit code."""
        if os.getpid() != self._owner or self._popen.returncode is not None:
            return self._popen.returncode
        self._in.close()
        self._out.close()
        try:
            self._popen.wait(5)
        except subprocess.TimeoutExpired:
            self._popen.kill()
        code = self._popen.wait()
        self._stderr.seek(0)
        self._said = self._stderr.read()
        self._stderr.close()
        return code

    def forget(self) -> None:
        """Give up a process that this one, after a fork, is not the parent of."""
        for file in (self._in, self._out, self._stderr):
            file.close()
        self._popen.returncode = 0  # so that nothing waits for it


class _Pipe:
    """What http.client takes for a socket, to read an answer from a pipe that stays open."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe

    def makefile(self, _mode: str) -> IO[bytes]:
        return io.open(self._pipe.fileno(), "rb", closefd=False, buffering=1 << 16)


_all: weakref.WeakSet[Upscaler] = weakref.WeakSet()


def _after_fork() -> None:
    for upscaler in _all:
        upscaler._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

_default = Upscaler()


@overload
def upscale(image: Image, scale: float | None = ..., model: str = ..., **options: Option) -> Image: ...


@overload
def upscale(image: NDArray[Any], scale: float | None = ..., model: str = ..., **options: Option) -> NDArray[Any]: ...


def upscale(image: Any, scale: float | None = None, model: str = "auto", **options: Option) -> Any:
    """Return image enlarged: the pixels are those that the command superres upscale makes of a PNG file of it.

    image is a NumPy array, or a PIL image of mode 1, L, LA, P, PA, RGB, RGBA, I or I;16. An array has a row of pixels
    after the other, of type uint8 or uint16, and the shape (height, width) for grey or (height, width, channels) with
    1 channel for grey, 2 for grey and alpha, 3 for red, green and blue, 4 for these and alpha. The result has the same
    type and as many channels. image is not changed.

    scale is from 1 to 16; None: 2, or as model says. model is a name of the command superres models: "auto", "photo",
    "photo-real", "bicubic" or one of your own, such as a network kept by superres models add. All other options are
    parameters of superres serve, with _ for -, such as effort="fast", denoise=0.5, strength=0.8,
    width=800, height=600, fit=(1920, 1080), depth=16 (the result has 16 bits), region=(x, y, w, h): only that part.

    TypeError and ValueError are raised if image is no picture, and Error if the program refuses it.
    """
    return _default.upscale(image, scale, model, **options)


def close() -> None:
    """End the process that upscale has started; it would wait for more pictures until Python ends."""
    _default.close()


def _text(name: str, value: Option) -> str:
    """Return an option's value as the program reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return ("x" if name == "fit" else ",").join(str(v) for v in value)
    return str(value)
