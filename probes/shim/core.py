# SPDX-License-Identifier: Apache-2.0
#
# core.py: keeps the functions that patch a module, and calls them once that module's own code has
# run. It is C that sees the module imported, and calls load() before that and patch() after.
#
# Nothing here may be seen by the program: no import, no name in a namespace of its own, no frame
# in a traceback (what stands between the program's frames is _inquest.around(), written in C).
# What raises in the shim is reported and forgotten; what is no Exception (KeyboardInterrupt) is the
# program's, and passes. Python 3.8 is the floor. `sys` and `_inquest` are given.

_patches = {}  # module name: the functions that patch it
_loaded = {}  # the namespace of the other files, once they run
_NAMED = 6  # in the trait "missing"
_lost = []  # what the trait "missing" says


def missing(what):
    """Reports what could not be found or patched, once; of many, the first and how many more."""
    if what in _lost:
        return
    _lost.append(what)
    more = len(_lost) - _NAMED
    if more <= 0:
        _inquest.trait("missing", ", ".join(_lost), len(_lost))
    elif more & (more - 1) == 0:
        _inquest.trait("missing", "%s and %d more" % (", ".join(_lost[:_NAMED]), more), len(_lost))


def patches(name):
    """Decorates a function that is to be called with module `name` after each run of its code."""

    def keep(function):
        _patches.setdefault(name, []).append(function)
        return function

    return keep


def want(module, name):
    """Returns what `name` (dots go deeper) means in a module; None, and a report, if it is gone."""
    found = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except Exception:
            missing("%s.%s" % (module.__name__, name))
            return None
    return found


def load(name):
    """Runs the other files of the shim, in one namespace, for the first module they patch."""
    if _loaded or _inquest.watched[name] == (0,):
        return
    _loaded.update(_given)
    for number in range(1, 1 + max(sum(_inquest.watched.values(), ()))):
        try:
            _inquest.load(number, _loaded)
        except Exception as error:
            missing("file %d of the shim (%s)" % (number, type(error).__name__))


def patch(name, module):
    """Calls what patches a module, whose own code has run."""
    for function in _patches.get(name, ()):
        try:
            function(module)
        except Exception as error:
            missing("%s (%s: %s)" % (name, type(error).__name__, error))


_given = {
    "__builtins__": __builtins__,
    "__name__": __name__,
    "_inquest": _inquest,
    "missing": missing,
    "patches": patches,
    "sys": sys,
    "want": want,
}
