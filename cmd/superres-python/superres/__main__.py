"""python -m superres is the program superres."""

import os
import subprocess
import sys

from ._program import find_program

command = [find_program(), *sys.argv[1:]]
if sys.platform == "win32":
    sys.exit(subprocess.call(command))  # Windows has no exec that the shell would wait for
os.execv(command[0], command)
