#!/usr/bin/env python3
"""Enlarges the picture in GIMP 3 by superres: Image > Enlarge by superres…

All visible layers are enlarged as one picture, which becomes a new image. Other plug-ins and scripts can call the
procedure plug-in-superres, with the arguments scale, effort and model. README.md in the folder around this one's folder
says how to install it.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

import gi

gi.require_version("Gimp", "3.0")
gi.require_version("GimpUi", "3.0")
from gi.repository import Gimp, GimpUi, Gio, GLib, GObject  # noqa: E402

NAME = "plug-in-superres"


class Failure(Exception):
    """What went wrong, in words for the user."""


def find_program():
    """Returns the path of superres. Programs that a desktop starts may have a shorter path than those of a terminal."""
    home = os.path.expanduser("~")
    more = [os.path.join(home, ".local", "bin"), os.path.join(home, "go", "bin"), "/usr/local/bin", "/opt/homebrew/bin"]
    program = shutil.which("superres", path=os.pathsep.join([os.environ.get("PATH", os.defpath)] + more))
    if not program:
        raise Failure("The program superres is not on the path. Install it, in ~/.local/bin for example.")
    return program


def save_visible(image, path):
    """Writes all that is visible of an image to a PNG file."""
    copy = image.duplicate()
    try:
        if not any(layer.get_visible() for layer in copy.get_layers()):
            raise Failure("No layer is visible.")
        layer = copy.merge_visible_layers(Gimp.MergeType.CLIP_TO_IMAGE)
        if (layer.get_width(), layer.get_height()) != (copy.get_width(), copy.get_height()):
            layer.add_alpha()
            layer.resize_to_image_size()
        if not Gimp.file_save(Gimp.RunMode.NONINTERACTIVE, copy, Gio.File.new_for_path(path), None):
            raise Failure("GIMP could not write the picture for superres.")
    finally:
        copy.delete()


def enlarge(image, config):
    """Returns a new image: what is visible of an image, enlarged."""
    program, scale = find_program(), config.get_property("scale")
    file = image.get_file() or image.get_imported_file()
    name = os.path.splitext(file.get_basename())[0] if file else "picture"
    with tempfile.TemporaryDirectory(prefix="superres-") as folder:
        source = os.path.join(folder, "source.png")
        result = os.path.join(folder, "%s_%gx.png" % (name, scale))
        save_visible(image, source)
        command = [program, "upscale", "--quiet", "--scale", repr(scale), "--effort", config.get_property("effort"),
                   "--model", config.get_property("model"), "-o", result, "--", source]
        Gimp.progress_init("superres")
        no_window = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # on Windows
        with tempfile.TemporaryFile() as said:
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                                  creationflags=no_window) as process:
                try:
                    while process.poll() is None:
                        Gimp.progress_pulse()
                        time.sleep(0.05)
                finally:
                    process.kill()  # if it still runs, since GIMP is gone
            Gimp.progress_end()
            if process.returncode != 0:
                said.seek(0)
                raise Failure(said.read().decode("utf-8", "replace").strip() or
                              "superres ended with exit code %d." % process.returncode)
        enlarged = Gimp.file_load(Gimp.RunMode.NONINTERACTIVE, Gio.File.new_for_path(result))
        if enlarged is None:
            raise Failure("GIMP could not read what superres made.")
    # A change, so that GIMP asks before it closes an image that is in no file.
    enlarged.get_layers()[0].set_name("superres ×%g" % scale)
    return enlarged


class Superres(Gimp.PlugIn):
    """The plug-in as GIMP sees it."""

    def do_set_i18n(self, _name):
        return False

    def do_query_procedures(self):
        return [NAME]

    def do_create_procedure(self, name):
        procedure = Gimp.ImageProcedure.new(self, name, Gimp.PDBProcType.PLUGIN, self.run, None)
        procedure.set_image_types("*")
        procedure.set_sensitivity_mask(Gimp.ProcedureSensitivityMask.DRAWABLE | Gimp.ProcedureSensitivityMask.DRAWABLES |
                                       Gimp.ProcedureSensitivityMask.NO_DRAWABLES)
        procedure.set_menu_label("Enlarge by superres…")
        procedure.add_menu_path("<Image>/Image")
        procedure.set_documentation("Enlarge what is visible by superres, as a new image", "", name)
        procedure.set_attribution("the superres authors", "BSD 3-Clause", "2026")
        both = GObject.ParamFlags.READWRITE
        procedure.add_double_argument("scale", "_Scale", "1 to 16", 1, 16, 2, both)
        effort = Gimp.Choice.new()
        for number, (word, label) in enumerate([("fast", "Fast"), ("best", "Best"), ("max", "Maximum, the slowest")]):
            effort.add(word, number, label, "")
        procedure.add_choice_argument("effort", "_Effort", "How long it may take", effort, "best", both)
        procedure.add_string_argument("model", "_Model", "auto, or a name that superres models lists", "auto", both)
        procedure.add_image_return_value("result", "Result", "The new image", True, both)
        return procedure

    def run(self, procedure, run_mode, image, _drawables, config, _data):
        if run_mode == Gimp.RunMode.INTERACTIVE:
            GimpUi.init("superres")
            dialog = GimpUi.ProcedureDialog.new(procedure, config, "Enlarge by superres")
            dialog.fill(None)
            accepted = dialog.run()
            dialog.destroy()
            if not accepted:
                return procedure.new_return_values(Gimp.PDBStatusType.CANCEL, None)
        try:
            enlarged = enlarge(image, config)
        except (Failure, OSError, GLib.Error) as err:
            return procedure.new_return_values(Gimp.PDBStatusType.EXECUTION_ERROR, GLib.Error(str(err)))
        if run_mode != Gimp.RunMode.NONINTERACTIVE:
            Gimp.Display.new(enlarged)
        returned = procedure.new_return_values(Gimp.PDBStatusType.SUCCESS, None)
        returned.remove(1)
        returned.append(GObject.Value(Gimp.Image, enlarged))
        return returned


Gimp.main(Superres.__gtype__, sys.argv)
