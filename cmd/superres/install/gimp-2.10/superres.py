#!/usr/bin/env python3
"""Enlarges the picture in GIMP 2.10 by superres: Image > Enlarge by superres > ×2, ×3, ×4.

All visible layers are enlarged as one picture, which becomes a new image. Other plug-ins and scripts can call

    plug-in-superres run-mode image drawable scale options

which returns the new image; options are flags of superres upscale, such as "--effort max", or "". README.md beside this
folder says how to install it.

Linux distributions have GIMP 2.10 without its Python. So this calls libgimp by ctypes, and needs python3 alone.
"""
import ctypes
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

# From gimpbaseenums.h of libgimp 2.10.
INT32, FLOAT, STRING, IMAGE, DRAWABLE, STATUS = 0, 3, 4, 13, 16, 21
EXECUTION_ERROR, SUCCESS = 0, 3
INTERACTIVE, NONINTERACTIVE = 0, 1
PLUGIN = 1
CLIP_TO_IMAGE = 1

FULL = b"plug-in-superres"
MENU = {b"plug-in-superres-2x": 2, b"plug-in-superres-3x": 3, b"plug-in-superres-4x": 4}


class Data(ctypes.Union):
    """The members of GimpParamData that are used here; the largest one has 32 bytes."""
    _fields_ = [("int32", ctypes.c_int32), ("float", ctypes.c_double), ("string", ctypes.c_char_p),
                ("largest", ctypes.c_double * 4)]


class Param(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("data", Data)]


class ParamDef(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("name", ctypes.c_char_p), ("description", ctypes.c_char_p)]


Callback = ctypes.CFUNCTYPE(None)
Run = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(Param), ctypes.POINTER(ctypes.c_int),
                       ctypes.POINTER(ctypes.POINTER(Param)))


class Info(ctypes.Structure):
    _fields_ = [("init", Callback), ("quit", Callback), ("query", Callback), ("run", Run)]


class Failure(Exception):
    """What went wrong, in words for the user."""


def load_libgimp():
    lib = ctypes.CDLL("libgimp-2.0.so.0")
    text, number = ctypes.c_char_p, ctypes.c_int32
    lib.gimp_file_save.argtypes = [number, number, number, text, text]
    lib.gimp_file_load.argtypes = [number, text, text]
    lib.gimp_item_set_name.argtypes = [number, text]
    lib.gimp_image_get_name.restype = text
    lib.gimp_progress_init.argtypes = [text]
    lib.gimp_plugin_menu_register.argtypes = [text, text]
    lib.gimp_install_procedure.argtypes = [text] * 8 + [number] * 3 + [ctypes.POINTER(ParamDef)] * 2
    return lib


def find_program():
    """Returns the path of superres. Programs that a desktop starts may have a shorter path than those of a terminal."""
    home = os.path.expanduser("~")
    more = [os.path.join(home, ".local", "bin"), os.path.join(home, "go", "bin"), "/usr/local/bin"]
    program = shutil.which("superres", path=os.pathsep.join([os.environ.get("PATH", os.defpath)] + more))
    if not program:
        raise Failure("The program superres is not on the path. Install it, in ~/.local/bin for example.")
    return program


def save_visible(gimp, image, path):
    """Writes all that is visible of an image to a PNG file."""
    copy = gimp.gimp_image_duplicate(image)
    try:
        layer = gimp.gimp_image_merge_visible_layers(copy, CLIP_TO_IMAGE)
        if layer < 0:
            raise Failure("No layer is visible.")
        if (gimp.gimp_drawable_width(layer), gimp.gimp_drawable_height(layer)) != (
                gimp.gimp_image_width(copy), gimp.gimp_image_height(copy)):
            gimp.gimp_layer_add_alpha(layer)
            gimp.gimp_layer_resize_to_image_size(layer)
        if not gimp.gimp_file_save(NONINTERACTIVE, copy, layer, path, path):
            raise Failure("GIMP could not write the picture for superres.")
    finally:
        gimp.gimp_image_delete(copy)


def enlarge(gimp, image, scale, options):
    """Returns a new image: what is visible of an image, enlarged."""
    program = find_program()
    name = os.path.splitext(os.path.basename(os.fsdecode(gimp.gimp_image_get_name(image))))[0] or "picture"
    with tempfile.TemporaryDirectory(prefix="superres-") as folder:
        source = os.path.join(folder, "source.png")
        result = os.path.join(folder, "%s_%gx.png" % (name.strip("[]*"), scale))
        save_visible(gimp, image, os.fsencode(source))
        gimp.gimp_progress_init(b"superres")
        with tempfile.TemporaryFile() as said:
            command = [program, "upscale", "--quiet", "--scale", repr(scale)] + options + ["-o", result, "--", source]
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said) as process:
                try:
                    while process.poll() is None:
                        gimp.gimp_progress_pulse()
                        time.sleep(0.05)
                finally:
                    process.kill()  # if it still runs, since GIMP is gone
            gimp.gimp_progress_end()
            if process.returncode != 0:
                said.seek(0)
                raise Failure(said.read().decode("utf-8", "replace").strip() or
                              "superres ended with exit code %d." % process.returncode)
        path = os.fsencode(result)
        enlarged = gimp.gimp_file_load(NONINTERACTIVE, path, path)
        if enlarged < 0:
            raise Failure("GIMP could not read what superres made.")
    # A change, so that GIMP asks before it closes an image that is in no file.
    gimp.gimp_item_set_name(gimp.gimp_image_get_active_layer(enlarged), ("superres ×%g" % scale).encode())
    return enlarged


def main():
    gimp = load_libgimp()
    kept = []  # memory that libgimp reads after a callback has returned

    def definitions(*params):
        array = (ParamDef * len(params))(*params)
        kept.append(array)
        return array

    def query():
        common = [(INT32, b"run-mode", b"0: interactive, 1: not"), (IMAGE, b"image", b"The picture"),
                  (DRAWABLE, b"drawable", b"Not used")]
        full = definitions(*common, (FLOAT, b"scale", b"1 to 16"),
                           (STRING, b"options", b"Flags of superres upscale, or empty"))
        short, returned = definitions(*common), definitions((IMAGE, b"result", b"The new image"))

        def install(name, label, params):
            gimp.gimp_install_procedure(name, b"Enlarge what is visible by superres, as a new image", b"",
                                        b"the superres authors", b"BSD 3-Clause", b"2026", label, b"*", PLUGIN,
                                        len(params), len(returned), params, returned)
        install(FULL, None, full)
        for name, scale in MENU.items():
            install(name, ("×%d" % scale).encode(), short)
            gimp.gimp_plugin_menu_register(name, b"<Image>/Image/Enlarge by superres")

    def run(name, count, params, returned_count, returned):
        values = (Param * 2)()
        kept.append(values)
        returned_count[0], returned[0] = 2, values
        values[0].type, values[0].data.int32 = STATUS, SUCCESS
        try:
            scale, options = float(MENU.get(name, 0)), []
            if name == FULL:
                scale = params[3].data.float
                options = shlex.split((params[4].data.string or b"").decode())
            image = enlarge(gimp, params[1].data.int32, scale, options)
            values[1].type, values[1].data.int32 = IMAGE, image
            if params[0].data.int32 != NONINTERACTIVE:
                gimp.gimp_display_new(image)
        except (Failure, OSError, ValueError) as err:
            message = str(err).encode()
            kept.append(message)
            values[0].data.int32 = EXECUTION_ERROR
            values[1].type, values[1].data.string = STRING, message

    info = Info(Callback(), Callback(), Callback(query), Run(run))
    arguments = [os.fsencode(a) for a in sys.argv]
    argv = (ctypes.c_char_p * (len(arguments) + 1))(*arguments)
    return gimp.gimp_main(ctypes.byref(info), len(arguments), argv)


if __name__ == "__main__":
    sys.exit(main())
