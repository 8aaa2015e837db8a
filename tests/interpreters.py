# SPDX-License-Identifier: Apache-2.0
"""
The Pythons that tests are run in: those that $INQUEST_PYTHONS names; else the system's, the one in
PATH and those of pyenv. Each program once, by version.
"""

import collections
import glob
import os
import shutil
import subprocess

OLDEST = (3, 8)
NEWEST = (3, 15)  # of those whose frames we can read

Interpreter = collections.namedtuple("Interpreter", "path version gil")

_QUESTION = """
import sys, sysconfig
of_cpython = getattr(sys, "implementation", None) is None or sys.implementation.name == "cpython"
with_a_gil = not sysconfig.get_config_var("Py_GIL_DISABLED")
sys.stdout.write("%s %s %d %d" % ((of_cpython, with_a_gil) + tuple(sys.version_info[:2])))
"""


def _places():
    asked = os.environ.get("INQUEST_PYTHONS")
    if asked:
        return asked.split()
    pyenv = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    return (
        ["/usr/bin/python3", "/usr/local/bin/python3", shutil.which("python3") or ""]
        + glob.glob(os.path.join(pyenv, "versions", "*", "bin", "python"))
    )


def _ask(path):
    """None where it does not run, or is another Python than CPython."""
    try:
        told = subprocess.run(
            [path, "-c", _QUESTION], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120
        )
        cpython, gil, major, minor = told.stdout.decode().split()
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    if cpython != "True":
        return None
    return Interpreter(path, (int(major), int(minor)), gil == "True")


def everyone():
    """Those too that are older than what we know."""
    real = {os.path.realpath(path) for path in _places() if os.path.exists(path)}
    return sorted(filter(None, map(_ask, sorted(real))), key=lambda found: found.version)


def interpreters():
    """Those that the probe knows."""
    return [one for one in everyone() if one.version >= OLDEST]


def readable():
    """Those whose frames we can read."""
    return [one for one in interpreters() if one.gil and one.version <= NEWEST]
