# SPDX-License-Identifier: Apache-2.0
#
# core.py: watches imports, and calls what patches a module once that module's own code has run.
#
# Nothing here may be seen by the program: no import, no name in a namespace of its own, no frame
# in a traceback (what stands between the program's frames is _inquest.around(), written in C), one
# object in sys.meta_path: `_inquest`, whose find_spec calls watch() for what is watched.
# What raises in the shim is reported and forgotten; what is no Exception (KeyboardInterrupt) is the
# program's, and passes. Python 3.8 is the floor. `sys` and `_inquest` are given.

_patches = {}  # module name: the functions that patch it
_loaded = {}  # the namespace of the other files, once they run
_done = set()  # names of modules that are patched
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
    """What `name` (dots go deeper) means in a module; None, and a report, where it is gone."""
    found = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except Exception:
            missing("%s.%s" % (module.__name__, name))
            return None
    return found


def _load(name):
    """Runs the other files of the shim, in one namespace, for the first module they patch."""
    if _loaded or _inquest.watched[name] == (0,):
        return
    _loaded.update(_given)
    for number in range(1, 1 + max(map(max, _inquest.watched.values()))):
        try:
            _inquest.load(number, _loaded)
        except Exception as error:
            missing("file %d of the shim (%s)" % (number, type(error).__name__))


def _patch(name, module):
    _done.add(name)
    for function in _patches.get(name, ()):
        try:
            function(module)
        except Exception as error:
            missing("%s (%s: %s)" % (name, type(error).__name__, error))


def _catch_up():
    """Patches what was imported behind our back: before us, or by a finder in front of ours."""
    for name in _inquest.watched:
        module = sys.modules.get(name)
        if module is None or name in _done:
            continue
        if getattr(getattr(module, "__spec__", None), "_initializing", False):
            continue
        _load(name)
        _patch(name, module)


def _watch(loader, name):
    """Lets the loader tell us when it has run that module; only this once."""

    def begin(places, keywords):
        return places[0] if places and places[0].__name__ == name else None

    def end(module, result, error):
        if module is None:
            return  # a loader of many modules ran another one meanwhile
        if loader.__dict__.get("exec_module") is shadow:
            del loader.exec_module
        if error is None:
            _patch(name, module)

    shadow = _inquest.around(loader.exec_module, begin, end)
    loader.exec_module = shadow


def watch(spec, name):
    """A watched module is about to be loaded by this spec."""
    _catch_up()
    loader = spec.loader
    if isinstance(loader, type) or not hasattr(loader, "exec_module"):
        return  # everybody's, or of another age: the next import catches up
    _load(name)
    try:
        _watch(loader, name)
    except Exception:
        missing(name + " (its loader)")


@patches("threading")
def _threads(module):
    """A thread's exception ends the thread: told apart from one that ends the process."""

    def begin(places, keywords):
        kind, value, traceback, thread = places[0]
        if kind is not SystemExit:
            _inquest.exception(kind, value, traceback, getattr(thread, "name", None) or "?")

    hook = want(module, "excepthook")
    if hook is not None:
        module.excepthook = _inquest.around(hook, begin)


@patches("multiprocessing.process")
def _processes(module):
    """A child prints its exception itself, and exits: for Python that is none."""

    def end(token, result, error):
        if isinstance(error, Exception):
            _inquest.exception(type(error), error, error.__traceback__)

    def begin(places, keywords):
        child = places[0]
        child.run = _inquest.around(child.run, None, end)

    boot = want(module, "BaseProcess._bootstrap")
    if boot is not None:
        module.BaseProcess._bootstrap = _inquest.method(_inquest.around(boot, begin))


_given = {
    "__builtins__": __builtins__,
    "__name__": __name__,
    "_inquest": _inquest,
    "missing": missing,
    "patches": patches,
    "sys": sys,
    "want": want,
}
_catch_up()
