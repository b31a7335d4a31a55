"""Tests of the module superres. SUPERRES_PROGRAM is the program to be tested, or the module is installed.

    SUPERRES_PROGRAM=./superres python3 cmd/superres-python/test_superres.py -v
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import pickle
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import unittest
import zlib
from pathlib import Path
from unittest import mock

import superres

try:
    import numpy
except ImportError:
    numpy = None
try:
    from PIL import Image
except ImportError:
    Image = None
try:
    import sklearn
except ImportError:
    sklearn = None

needs_numpy = unittest.skipUnless(numpy, "there is no numpy")
needs_pillow = unittest.skipUnless(Image, "there is no Pillow")
needs_sklearn = unittest.skipUnless(sklearn, "there is no scikit-learn")
needs_torch = unittest.skipUnless(numpy and importlib.util.find_spec("torch"), "there is no PyTorch (python3-torch)")
needs_fork = unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
needs_proc = unittest.skipUnless(os.path.isdir("/proc/self"), "this system has no /proc")


def process() -> superres._upscale._Process | None:
    """The process of superres.upscale, if there is one."""
    return superres._upscale._default._process


def is_running(pid: int) -> bool:
    """Whether a process runs, that is, is neither gone nor a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def has_ended(pid: int) -> bool:
    """Whether a process ends within a minute."""
    end = time.monotonic() + 60
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not is_running(pid)


def read_png(file: bytes) -> numpy.ndarray:
    """The pixels of a PNG that is not interlaced, by the definition of its filters."""
    at, parts, head = 8, [], None
    while at < len(file):
        length, kind = struct.unpack_from(">I4s", file, at)
        if kind == b"IHDR":
            head = struct.unpack_from(">IIBBBBB", file, at + 8)
        if kind == b"IDAT":
            parts.append(file[at + 8:at + 8 + length])
        at += length + 12
    width, height, depth, colour = head[:4]
    samples = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    back = samples * depth // 8
    data, stride = zlib.decompress(b"".join(parts)), width * back
    above, rows = bytearray(stride), []
    for start in range(0, len(data), stride + 1):
        kind, row = data[start], bytearray(data[start + 1:start + 1 + stride])
        for i in range(stride):
            a, b, c = row[i - back] if i >= back else 0, above[i], above[i - back] if i >= back else 0
            p = a + b - c
            nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            row[i] = (row[i] + (0, a, b, (a + b) // 2, nearest)[kind]) & 255
        rows.append(row)
        above = row
    pixels = numpy.frombuffer(b"".join(rows), f">u{depth // 8}").reshape(height, width, samples)
    return pixels.astype(f"u{depth // 8}")


def scene(height: int, width: int, channels: int, dtype: str) -> numpy.ndarray:
    """A picture with edges, gradients and a little noise."""
    rng = numpy.random.default_rng(5)
    y, x = numpy.mgrid[:height, :width]
    planes = []
    for k in range(channels):
        plane = 90 + 60 * numpy.sin((x + k) / 5) + 70 * ((x - width / 2) ** 2 + (y - height / 3) ** 2 < 90 + 20 * k)
        planes.append(plane + rng.normal(0, 2, plane.shape))
    pixels = numpy.clip(numpy.dstack(planes) / 255, 0, 1)
    return numpy.round(pixels * numpy.iinfo(dtype).max).astype(dtype)


def by_command(pixels: numpy.ndarray, *flags: str) -> numpy.ndarray:
    """What the command superres upscale makes of a PNG of pixels, read from the PNG that it writes."""
    with tempfile.TemporaryDirectory() as folder:
        small, large = os.path.join(folder, "small.png"), os.path.join(folder, "large.png")
        Path(small).write_bytes(superres._picture.encode_array(pixels))
        subprocess.run([superres.find_program(), "upscale", "--quiet", *flags, "-o", large, small], check=True)
        return read_png(Path(large).read_bytes())


@needs_numpy
class Arrays(unittest.TestCase):
    def check(self, pixels: numpy.ndarray, want: numpy.ndarray, **options: object) -> None:
        before = pixels.copy()
        got = superres.upscale(pixels, **options)
        self.assertTrue((pixels == before).all(), "the array has been changed")
        self.assertEqual(got.dtype.newbyteorder("="), want.dtype)
        self.assertTrue(got.flags.c_contiguous and got.flags.writeable)
        self.assertEqual(got.shape, want.shape)
        self.assertTrue((got == want).all(), "the command makes other pixels")

    def test_kinds(self) -> None:
        """Grey, grey and alpha, RGB and RGBA, of 8 and 16 bits: the pixels of the command."""
        for dtype in ("uint8", "uint16"):
            for channels in (1, 2, 3, 4):
                with self.subTest(dtype=dtype, channels=channels):
                    pixels = scene(31, 45, channels, dtype)
                    want = by_command(pixels)
                    self.check(pixels, want)
                    if channels == 1:
                        self.check(pixels[:, :, 0], want[:, :, 0])

    def test_alpha(self) -> None:
        """An alpha that is full everywhere comes back, as does a colour picture that has greys alone."""
        for dtype in ("uint8", "uint16"):
            pixels = scene(20, 30, 4, dtype)
            pixels[:, :, 3] = numpy.iinfo(dtype).max
            got = superres.upscale(pixels)
            self.assertEqual(got.shape, (40, 60, 4))
            self.assertTrue((got[:, :, 3] == numpy.iinfo(dtype).max).all())
            self.assertTrue((got[:, :, :3] == superres.upscale(pixels[:, :, :3])).all())
            grey = numpy.repeat(scene(20, 30, 1, dtype), 3, axis=2)
            self.check(grey, by_command(grey)[:, :, [0, 0, 0]] if by_command(grey).shape[2] == 1 else by_command(grey))
            faded = scene(20, 30, 2, dtype)
            faded[:, :, 1] = numpy.iinfo(dtype).max
            got = superres.upscale(faded)
            self.assertEqual(got.shape, (40, 60, 2))
            self.assertTrue((got[:, :, 0] == superres.upscale(faded[:, :, 0])).all())

    def test_options(self) -> None:
        pixels = scene(24, 37, 3, "uint8")
        for options, flags in (
            ({"scale": 3, "model": "bicubic"}, ["-s", "3", "-m", "bicubic"]),
            ({"scale": 1.5, "effort": "fast"}, ["-s", "1.5", "--effort", "fast"]),
            ({"width": 80}, ["--width", "80"]),
            ({"fit": (100, 70)}, ["--fit", "100x70"]),
            ({"denoise": 0.5, "strength": 0.7}, ["--denoise", "0.5", "--strength", "0.7"]),
            ({"depth": 16}, ["--depth", "16"]),
        ):
            with self.subTest(**options):
                self.check(pixels, by_command(pixels, *flags), **options)
        whole = superres.upscale(pixels, 2)
        self.check(pixels, whole[10:30, 20:60], region=(10, 5, 20, 10))

    def test_layouts(self) -> None:
        """Arrays that are not contiguous or have the other order of bytes are taken by their values."""
        pixels = scene(20, 30, 3, "uint16")
        want = superres.upscale(pixels)
        self.check(pixels.astype(">u2"), want)
        self.check(pixels[::-1][::-1], want)
        self.check(numpy.asfortranarray(pixels), want)
        small = scene(1, 1, 3, "uint8")
        self.check(small, by_command(small))

    def test_no_pictures(self) -> None:
        for bad, error, words in (
            (numpy.zeros((4, 4)), TypeError, "float64"), (numpy.zeros((4, 4), bool), TypeError, "bool"),
            (numpy.zeros((4, 4), "int16"), TypeError, "int16"), (numpy.zeros((4, 4), "uint32"), TypeError, "uint32"),
            (numpy.zeros(4, "uint8"), ValueError, "shape"), (numpy.zeros((4, 4, 5), "uint8"), ValueError, "shape"),
            (numpy.zeros((0, 4), "uint8"), ValueError, "no pixels"), ("photo.jpg", TypeError, "open it with Pillow"),
        ):
            with self.assertRaisesRegex(error, words):
                superres.upscale(bad)

    def test_masked(self) -> None:
        """A masked array is refused, also one that masks nothing, and so it is of all that takes arrays."""
        pixels = scene(8, 8, 3, "uint8")
        for masked in (numpy.ma.masked_less(pixels, 90), numpy.ma.array(pixels)):
            with self.assertRaisesRegex(TypeError, "masked array.*filled"):
                superres.upscale(masked)
        self.assertEqual(superres.upscale(numpy.ma.masked_less(pixels, 90).filled(0)).shape, (16, 16, 3))
        Y = numpy.ma.masked_less(numpy.random.default_rng(1).normal(size=(4, 30)), 0)
        D = numpy.eye(4)
        for call in (lambda: superres.learn(Y), lambda: superres.learn(Y.data, init=numpy.ma.array(D), iterations=1),
                     lambda: superres.code(Y, D), lambda: superres.code(Y.data, numpy.ma.array(D))):
            with self.assertRaisesRegex(TypeError, "masked array.*filled"):
                call()

    def test_refusals(self) -> None:
        """What the program refuses is an Error with its words and exit code, and the process goes on."""
        pixels = scene(8, 8, 3, "uint8")
        superres.upscale(pixels)
        pid = process()._popen.pid
        for options, code, words in (
            ({"scale": 99}, 2, "scale 99: expected 1 to 16"), ({"model": "phot"}, 6, 'did you mean "photo"'),
            ({"sclae": 2}, 2, 'did you mean "scale"'), ({"scale": 2, "width": 9}, 2, "width"),
            ({"region": (0, 0, 99, 99)}, 2, "region"),
        ):
            with self.subTest(**options), self.assertRaisesRegex(superres.Error, words) as caught:
                superres.upscale(pixels, **options)
            self.assertEqual(caught.exception.exit_code, code)
        with self.assertRaisesRegex(TypeError, "format"):
            superres.upscale(pixels, format="jpeg")
        self.assertEqual(superres.upscale(pixels).shape, (16, 16, 3))
        self.assertEqual(process()._popen.pid, pid)

    def test_limits(self) -> None:
        """An Upscaler keeps to its limits, and refuses a file that is too large before it is sent whole."""
        with superres.Upscaler(jobs=1, max_pixels=1) as small:
            with self.assertRaisesRegex(superres.Error, "the limit is") as caught:
                small.upscale(numpy.zeros((1001, 1000), "uint8"))
            self.assertEqual(caught.exception.exit_code, 7)
            self.assertEqual(small.upscale(scene(10, 12, 3, "uint8")).shape, (20, 24, 3))
            with mock.patch("superres._picture.encode_array", lambda _: bytes(257 << 20)), \
                    self.assertRaisesRegex(superres.Error, "256 MiB") as caught:
                small.upscale(scene(4, 4, 3, "uint8"))
            self.assertEqual(caught.exception.exit_code, 7)
            self.assertEqual(small.upscale(scene(4, 4, 3, "uint8")).shape, (8, 8, 3))
        with self.assertRaisesRegex(superres.Error, "max-memory") as caught:
            superres.Upscaler(max_memory=-1).upscale(scene(4, 4, 3, "uint8"))
        self.assertEqual(caught.exception.exit_code, 2)


@needs_numpy
class Processes(unittest.TestCase):
    def setUp(self) -> None:
        self.pixels = scene(16, 20, 3, "uint8")
        self.want = superres.upscale(self.pixels)

    def test_threads(self) -> None:
        results = {}

        def work(scale: int) -> None:
            for _ in range(3):
                results[scale] = superres.upscale(self.pixels, scale)

        threads = [threading.Thread(target=work, args=(scale,)) for scale in (2, 3, 4, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for scale in (2, 3, 4, 5):
            self.assertTrue((results[scale] == superres.upscale(self.pixels, scale)).all())

    @needs_fork
    def test_fork(self) -> None:
        """A child starts a process of its own, also where another thread held the lock, and leaves its parent's."""
        before = process()._popen.pid
        stop, begun = threading.Event(), threading.Event()

        def busy() -> None:
            while not stop.is_set():
                superres.upscale(self.pixels, 4)
                begun.set()

        thread = threading.Thread(target=busy)
        thread.start()
        begun.wait()
        children = []
        for _ in range(3):
            child = os.fork()
            if child == 0:
                try:
                    same = (superres.upscale(self.pixels) == self.want).all() and process()._popen.pid != before
                    superres.close()
                    os._exit(0 if same else 1)
                except BaseException:
                    traceback.print_exc()
                finally:
                    os._exit(2)
            children.append(child)
        statuses = [os.waitpid(child, 0)[1] for child in children]
        stop.set()
        thread.join()
        self.assertEqual(statuses, [0, 0, 0])
        self.assertTrue((superres.upscale(self.pixels) == self.want).all())
        self.assertEqual(process()._popen.pid, before)

    @needs_proc
    @needs_fork
    def test_end_with_python(self) -> None:
        """The process ends with Python, also where Python is killed, and where a fork of it lives on."""
        for end in ("pass", "import os; os.kill(os.getpid(), 9)",
                    "import os; os.kill(os.getpid(), 9) if os.fork() else __import__('time').sleep(3)"):
            with self.subTest(end):
                text = ("import numpy, superres; superres.upscale(numpy.zeros((4, 4), numpy.uint8)); "
                        f"print(superres._upscale._default._process._popen.pid, flush=True); {end}")
                python = subprocess.Popen([sys.executable, "-W", "error", "-c", text], stdout=subprocess.PIPE,
                                          stderr=subprocess.PIPE)
                pid = int(python.stdout.readline())
                self.assertTrue(has_ended(pid), "the process outlives Python")
                _, stderr = python.communicate()
                self.assertEqual(stderr, b"")

    @needs_proc
    def test_close(self) -> None:
        pid = process()._popen.pid
        superres.close()
        self.assertFalse(is_running(pid))
        superres.close()
        self.assertTrue((superres.upscale(self.pixels) == self.want).all())

    @needs_proc
    def test_killed(self) -> None:
        """A process that was killed between two pictures is started again."""
        pid = process()._popen.pid
        os.kill(pid, signal.SIGKILL)
        self.assertTrue(has_ended(pid))
        self.assertTrue((superres.upscale(self.pixels) == self.want).all())

    @unittest.skipUnless(hasattr(signal, "setitimer"), "this system has no timers")
    def test_interrupted(self) -> None:
        """After Ctrl-C in a picture, the next one gets its own answer."""
        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            with self.assertRaises(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, 0.3)
                superres.upscale(scene(400, 400, 3, "uint8"), 8, effort="max")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertTrue((superres.upscale(self.pixels) == self.want).all())

    def test_no_program(self) -> None:
        with mock.patch.dict(os.environ, {"SUPERRES_PROGRAM": "/nowhere/superres"}):
            for call in (superres.find_program, lambda: superres.Upscaler().upscale(self.pixels),
                         lambda: superres.learn(numpy.eye(4))):
                with self.assertRaisesRegex(superres.Error, "SUPERRES_PROGRAM=/nowhere/superres"):
                    call()

    def test_another_program(self) -> None:
        """A program that is not superres is an error, not a wait for ever."""
        with mock.patch.dict(os.environ, {"SUPERRES_PROGRAM": sys.executable}):
            with self.assertRaisesRegex(superres.Error, "serve"):  # Python cannot open such a file
                superres.Upscaler().upscale(self.pixels)

    def test_module_runs_the_program(self) -> None:
        done = subprocess.run([sys.executable, "-m", "superres", "version"], stdout=subprocess.PIPE, check=True)
        self.assertRegex(done.stdout.decode(), r"^superres \d")


class Module(unittest.TestCase):
    def test_import(self) -> None:
        """import superres needs no other package, and starts nothing."""
        text = ("import sys; sys.modules.update(numpy=None, PIL=None, sklearn=None); import superres; "
                "print(superres.find_program(), superres._upscale._default._process); dir(superres)")
        done = subprocess.run([sys.executable, "-W", "error", "-c", text], stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout.decode().strip(), f"{superres.find_program()} None")

    def test_error(self) -> None:
        error = pickle.loads(pickle.dumps(superres.Error("a.png: is empty", 4)))
        self.assertEqual((str(error), error.exit_code), ("a.png: is empty", 4))

    def test_unknown_name(self) -> None:
        with self.assertRaisesRegex(AttributeError, "no attribute 'upscal'"):
            superres.upscal


@needs_pillow
@needs_numpy
class Images(unittest.TestCase):
    def test_modes(self) -> None:
        colour = Image.fromarray(scene(20, 30, 3, "uint8"))
        for mode in ("1", "L", "LA", "P", "RGB", "RGBA"):
            with self.subTest(mode):
                image = colour.convert(mode)
                got = superres.upscale(image, 3)
                self.assertEqual(got.size, (90, 60))
                self.assertEqual(got.mode, {"1": "L", "P": "RGB"}.get(mode, mode))
                if mode not in ("1", "P"):
                    self.assertTrue((numpy.array(got) == superres.upscale(numpy.array(image), 3)).all())

    def test_deep(self) -> None:
        pixels = scene(20, 30, 1, "uint16")[:, :, 0]
        got = superres.upscale(Image.fromarray(pixels))
        self.assertEqual(got.mode, "I;16")
        self.assertTrue((numpy.array(got) == superres.upscale(pixels)).all())

    def test_transparent_palette(self) -> None:
        image = Image.fromarray(scene(20, 30, 3, "uint8")).convert("P")
        image.info["transparency"] = image.getpixel((3, 3))
        self.assertEqual(superres.upscale(image).mode, "RGBA")

    def test_profile_and_orientation(self) -> None:
        """A profile stays; pixels count as they are, whatever the orientation in the EXIF says."""
        from PIL import ImageCms

        image = Image.fromarray(scene(20, 30, 3, "uint8"))
        profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
        exif = Image.Exif()
        exif[0x0112] = 6
        file = io.BytesIO()
        image.save(file, "PNG", icc_profile=profile, exif=exif)
        got = superres.upscale(Image.open(file))
        self.assertEqual(got.info.get("icc_profile"), profile)
        self.assertEqual(got.size, (60, 40))
        self.assertTrue((numpy.array(got) == superres.upscale(numpy.array(image))).all())

    def test_other_modes(self) -> None:
        for mode in ("CMYK", "YCbCr", "F"):
            with self.assertRaisesRegex(TypeError, f"mode {mode}"):
                superres.upscale(Image.new(mode, (4, 4)))


def signals() -> numpy.ndarray:
    """120 signals of 8 entries, each made of 2 among 12 atoms."""
    rng = numpy.random.default_rng(1)
    codes = numpy.zeros((12, 120))
    for code in codes.T:
        code[rng.permutation(12)[:2]] = rng.standard_normal(2)
    return rng.standard_normal((8, 12)) @ codes


@needs_numpy
class Learning(unittest.TestCase):
    def test_learn(self) -> None:
        """The results are the same as from the command, to the bit."""
        Y = signals()
        with tempfile.TemporaryDirectory() as folder:
            def path(name: str) -> str:
                return os.path.join(folder, name)

            numpy.save(path("Y.npy"), Y)
            for learner in ("rop", "ksvd:exact=false"):
                with self.subTest(learner):
                    got = superres.learn(Y, atoms=12, learner=learner, iterations=9, seed=3)
                    subprocess.run([superres.find_program(), "learn", "-q", "--atoms=12", f"--learner={learner}",
                                    "--iterations=9", "--seed=3", "-o", path("D.npy"), "--codes", path("X.npy"),
                                    "--on-exist=overwrite", path("Y.npy")], check=True)
                    self.assertTrue((got.dictionary == numpy.load(path("D.npy"))).all())
                    self.assertTrue((got.codes == numpy.load(path("X.npy"))).all())
                    self.assertEqual((got.dictionary.shape, got.codes.shape), ((8, 12), (12, 120)))
                    self.assertEqual(list(got.history["iteration"]), list(range(1, len(got.history) + 1)))
                    self.assertEqual(got.history["rmse"][-1], got.rmse)
                    rest = Y - got.dictionary @ got.codes
                    self.assertAlmostEqual(numpy.sqrt(numpy.mean(rest ** 2)), got.rmse, 9)
                    self.assertTrue(got.stop)
            more = superres.learn(Y, learner="ksvd", init=got.dictionary, iterations=20, sparsity=2, jobs=1)
            self.assertEqual(more.dictionary.shape, (8, 12))
            self.assertLessEqual((more.codes != 0).sum(axis=0).max(), 2)
            rows = superres.learn(Y.T.astype("float32"), 12, learner="mod", transpose=True, iterations=2)
            self.assertEqual(rows.codes.shape, (12, 120))

    def test_code(self) -> None:
        """The codes of OMP leave residuals that are orthogonal to the atoms they use, and each signal gets the codes that it has alone."""
        Y, D = signals(), numpy.random.default_rng(2).standard_normal((8, 12))
        X = superres.code(Y, D, sparsity=3)
        self.assertEqual(X.shape, (12, 120))
        self.assertEqual((X != 0).sum(axis=0).max(), 3)
        products = D.T @ (Y - D @ X)
        self.assertLess(abs(products[X != 0]).max(), 1e-9)
        self.assertTrue((superres.code(Y[:, 5:6], D, sparsity=3) == X[:, 5:6]).all())
        self.assertTrue((superres.code(numpy.zeros((8, 2)), D) == 0).all())

    def test_errors(self) -> None:
        Y = signals()
        bad = Y.copy()
        bad[2, 3] = numpy.nan
        for call, code, words in (
            (lambda: superres.learn(Y, learner="ksdv"), 2, 'did you mean "ksvd"'),
            (lambda: superres.learn(bad), 4, "^Y.npy: entry 2 of signal 3 .* is NaN"),
            (lambda: superres.learn(Y[0]), 4, "^Y.npy: has one dimension"),
            (lambda: superres.learn(Y, colour="red"), 2, "colour"),
            (lambda: superres.learn(Y, max_memory=1), 7, "max-memory"),
            (lambda: superres.code(Y, numpy.zeros((8, 3))), 4, "^dictionary.npy: atom 0"),
            (lambda: superres.code(Y, numpy.ones((7, 3))), 2, "atoms of 7 entries"),
        ):
            with self.subTest(words), self.assertRaisesRegex(superres.Error, words) as caught:
                call()
            self.assertEqual(caught.exception.exit_code, code)
        with self.assertRaisesRegex(ValueError, "allow_pickle"):
            superres.learn([["a", None]])


@needs_numpy
class Programs(unittest.TestCase):
    def test_exec(self) -> None:
        """A program of one's own runs with allow_exec alone, as a learner, a coder or in another flag."""
        Y = numpy.random.default_rng(1).normal(size=(4, 30))
        with tempfile.TemporaryDirectory() as folder:
            ran = os.path.join(folder, "ran")
            program = os.path.join(folder, "program.py")
            Path(program).write_text(f"open({ran!r}, 'w').close()\n")
            spec = f"exec:{sys.executable} {program}"
            for call in (lambda how: superres.learn(Y, learner=spec, iterations=1, **how),
                         lambda how: superres.learn(Y, learner=spec.replace("exec", "exec1"), iterations=1, **how),
                         lambda how: superres.learn(Y, learner="mine=" + spec, iterations=1, **how),
                         lambda how: superres.learn(Y, learner="mod", coder=spec, iterations=1, **how),
                         lambda how: superres.learn(Y, learner="mod", trace=spec, iterations=1, **how),
                         lambda how: superres.code(Y, numpy.eye(4), coder=spec, **how)):
                with self.assertRaisesRegex(ValueError, "allow_exec=True"):
                    call({})
                self.assertFalse(os.path.exists(ran))
            with self.assertRaises(superres.Error):  # for it says nothing of what a learner has to say
                superres.learn(Y, learner=spec, iterations=1, allow_exec=True)
            self.assertTrue(os.path.exists(ran))


@needs_sklearn
class Estimator(unittest.TestCase):
    @unittest.skipIf(os.environ.get("SUPERRES_TEST_SHORT"), "it takes long")
    def test_check_estimator(self) -> None:
        """All checks of scikit-learn pass, and none is expected to fail."""
        from sklearn.utils.estimator_checks import check_estimator

        for learner in ("rop", "ksvd"):
            with self.subTest(learner):
                check_estimator(superres.DictionaryLearner(learner=learner, max_iter=20))

    def test_other_checks(self) -> None:
        """Checks that check_estimator leaves out in some versions."""
        from sklearn.utils import estimator_checks

        for name in ("check_dataframe_column_names_consistency", "check_get_feature_names_out_error",
                     "check_transformer_get_feature_names_out", "check_transformer_get_feature_names_out_pandas",
                     "check_n_features_in_after_fitting", "check_global_output_transform_pandas",
                     "check_set_output_transform"):
            check = getattr(estimator_checks, name, None)
            if check:
                with self.subTest(name):
                    check("DictionaryLearner", superres.DictionaryLearner(max_iter=5))

    def test_learns(self) -> None:
        """The components are the same as from learn, and transform gives the same codes as code."""
        Y = signals()
        model = superres.DictionaryLearner(12, learner="ksvd", sparsity=2, max_iter=30, random_state=4)
        codes = model.fit_transform(Y.T)
        learned = superres.learn(Y, 12, learner="ksvd", coder="omp", sparsity=2, iterations=30, seed=4)
        self.assertTrue((model.components_ == learned.dictionary.T).all())
        self.assertTrue((codes == superres.code(Y, learned.dictionary, sparsity=2).T).all())
        self.assertEqual((model.n_iter_, model.error_, model.n_features_in_), (len(learned.history), learned.rmse, 8))
        self.assertEqual(list(model.get_feature_names_out()[:2]), ["dictionarylearner0", "dictionarylearner1"])
        error = numpy.sqrt(numpy.mean((Y.T - model.inverse_transform(codes)) ** 2))
        self.assertLess(error, 1.05 * learned.rmse + 1e-9)
        again = pickle.loads(pickle.dumps(model))
        self.assertTrue((again.transform(Y.T[:7]) == codes[:7]).all())

    def test_refusals(self) -> None:
        X = numpy.random.default_rng(1).normal(size=(30, 4))
        with self.assertRaisesRegex(TypeError, "masked array"):
            superres.DictionaryLearner(4).fit(numpy.ma.masked_less(X, 0))
        with self.assertRaisesRegex(TypeError, "masked array"):
            superres.DictionaryLearner(4, max_iter=2).fit(X).transform(numpy.ma.masked_less(X, 0))
        with self.assertRaisesRegex(ValueError, "allow_exec=True"):
            superres.DictionaryLearner(4, learner="exec:true").fit(X)

    def test_settings(self) -> None:
        from sklearn.base import clone
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        Y = signals().T
        model = clone(superres.DictionaryLearner(random_state=numpy.random.RandomState(1), n_jobs=1, coder="lasso:lambda=0.1",
                                                 learner="mod", max_iter=2))
        self.assertEqual(make_pipeline(StandardScaler(), model).fit_transform(Y).shape, (120, 16))
        for settings, error, words in (({"max_iter": 0}, ValueError, "max_iter"), ({"random_state": -1}, ValueError, "Seed"),
                                       ({"learner": "ksdv"}, superres.Error, "ksvd")):
            with self.subTest(**settings), self.assertRaisesRegex(error, words):
                superres.DictionaryLearner(**settings).fit(Y)


@needs_torch
@unittest.skipUnless(os.environ.get("SUPERRES_FULL"), "it takes long: set SUPERRES_FULL=1")
class Training(unittest.TestCase):
    """Networks of 16 channels and a layer between the first and the last, learned from rectangles."""

    flags = ["--channels=16", "--depth=1", "--colour-steps=0", "--batch=8", "--patch=16", "--reduce=none", "--quiet"]

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        rng = numpy.random.default_rng(7)
        for k in range(4):
            picture = numpy.zeros((160, 150, 3), "uint8")
            for _ in range(150):  # rectangles that hide each other
                y, x, h, w = rng.integers(-20, 150, 2).tolist() + rng.integers(5, 40, 2).tolist()
                picture[max(y, 0):max(y + h, 0), max(x, 0):max(x + w, 0)] = rng.integers(0, 256, 3)
            (self.folder / f"{k}.png").write_bytes(superres._picture.encode_array(picture))

    def command(self, model: str, *flags: str, torch: bool) -> list[str]:
        by = [sys.executable, "-m", "superres.train", "--device=cpu"] if torch else [superres.find_program(), "train",
                                                                                     "--convolutional"]
        return [*by, *self.flags, *flags, "-o", str(self.folder / model), str(self.folder)]

    def provenance(self, model: str) -> dict[str, object]:
        told = subprocess.run([superres.find_program(), "models", str(self.folder / model), "--json"], check=True,
                              stdout=subprocess.PIPE)
        return json.loads(told.stdout)["provenance"]

    def test_same_quality(self) -> None:
        """After 200 steps, a picture that was held out is as good as by the program's own steps, also in bfloat16."""
        told = {}
        for name, torch, flags in (("own", False, []), ("float32", True, []),
                                   ("mixed", True, ["--precision=bfloat16"])):
            subprocess.run(self.command(f"{name}.npz", "--steps=200", "--held-out=1", *flags, torch=torch), check=True)
            told[name] = self.provenance(f"{name}.npz")
        gain = {name: p["score"]["model"]["psnr"] - p["score"]["bicubic"]["psnr"] for name, p in told.items()}
        self.assertGreater(gain["own"], 0.5)
        self.assertLess(abs(gain["float32"] - gain["own"]), 0.1, gain)
        self.assertLess(abs(gain["mixed"] - gain["own"]), 0.5, gain)  # it needs more than 200 steps
        self.assertNotIn("trainer", told["own"])
        self.assertRegex(told["float32"]["trainer"], "^PyTorch .* on cpu in float32$")
        self.assertRegex(told["mixed"]["trainer"], "^PyTorch .* on cpu in bfloat16$")
        self.assertRegex(told["mixed"]["command"], "^python -m superres.train .*--steps 200 ")
        info = subprocess.run([superres.find_program(), "models", "info", str(self.folder / "float32.npz")], check=True,
                              stdout=subprocess.PIPE)
        self.assertIn("trained by   PyTorch ", info.stdout.decode())

    @unittest.skipIf(sys.platform == "win32", "Windows has no SIGINT for a group")
    def test_interrupted(self) -> None:
        """Ctrl-C keeps the state, from which the program goes on."""
        flags = ["--steps=1100"]
        process = subprocess.Popen(self.command("m.npz", *flags, torch=True), start_new_session=True,
                                   stderr=subprocess.PIPE)
        kept = self.folder / "m.npz.partial"
        while not kept.exists() and process.poll() is None:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        errors = process.communicate()[1].decode()
        if (self.folder / "m.npz").exists():
            self.skipTest("the training was over before it was interrupted")
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("m.npz.partial", errors)
        self.assertNotIn("Traceback", errors)
        subprocess.run(self.command("m.npz", *flags, torch=False), check=True)
        self.assertRegex(str(self.provenance("m.npz")["trainer"]), "^PyTorch .*, then superres$")
        self.assertFalse(kept.exists())

    def test_refusals(self) -> None:
        for flags, words, code in ((["--steps=0"], "no steps", 2), (["--device=nowhere"], "--device nowhere", 2),
                                   (["--atoms=3"], "--atoms", 2)):
            done = subprocess.run(self.command("m.npz", *flags, torch=True), stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, code)
            self.assertIn(words, done.stderr.decode())
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
