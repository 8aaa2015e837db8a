# SPDX-License-Identifier: Apache-2.0
#
# How a function of somebody else's module is replaced by one that tells of it, and what all shim
# files after this one share. The files are one text, run in one namespace once the first module
# that any of them asks for is looked for: the seconds of `import torch` hide its milliseconds.
#
# What holds for every wrapper: the real function gets the same arguments and its result or its
# exception goes back untouched; what we do beside it cannot raise; nothing of the program is kept
# alive; name, doc and signature stay. The code's file name is one that Dynamo passes over, so that
# no frame of ours is ever compiled or breaks a graph.
#
# Nothing is imported, not even from Python's own library: who looks at sys.modules, or replaces a
# module before anybody has it (gevent), would find it there too early. What a framework needs it
# has imported itself when we come to need it.


class _Library:
    # A module as the program has it. Where it has none, asking for something of it raises.

    def __init__(self, name):
        self.__name = name

    def __getattr__(self, name):
        return getattr(sys.modules[self.__name], name)


os = _Library("os")
time = _Library("time")
_Local = sys.modules["_thread"]._local  # which the interpreter itself needs: threading.local
_Reference = sys.modules["_weakref"].ref  # the same: weakref.ref

_COMPILE = _inquest.COMPILE
_INPUT = _inquest.INPUT
_CHECKPOINT = _inquest.CHECKPOINT
_DEVICE = _inquest.DEVICE
_begin = _inquest.span_begin
_end = _inquest.span_end
_trait = _inquest.trait


def _look_like(new, real):
    """Does what functools.update_wrapper() does."""
    for name in ("__module__", "__name__", "__qualname__", "__doc__", "__annotate__",
                 "__type_params__"):
        try:
            setattr(new, name, getattr(real, name))
        except AttributeError:
            pass
    if "__annotate__" not in dir(real) and hasattr(real, "__annotations__"):
        new.__annotations__ = real.__annotations__
    new.__dict__.update(getattr(real, "__dict__", ()))
    new.__wrapped__ = real
    return new


def _replace(module, name, make):
    """Makes module.name (dots go deeper) make(its value), looking like it."""
    real = want(module, name)
    if real is None:
        return
    if not callable(real):
        missing("%s.%s (no function any more)" % (module.__name__, name))
        return
    owner = module
    for part in name.split(".")[:-1]:
        owner = getattr(owner, part)
    setattr(owner, name.split(".")[-1], _look_like(make(real), real))


def _replace_any(module, names, make):
    """Replaces the first of several names that a thing has had over time, the newest first."""
    here = [name for name in names if hasattr(module, name)]
    _replace(module, (here or names)[0], make)


def _span(kind, name, detail=None):
    """For _replace(): the whole call is a span; detail(args, kwargs) may say more about it."""

    def make(real):
        def spanned(*args, **kwargs):
            text = None
            if detail:
                try:
                    text = detail(args, kwargs)
                except Exception:
                    pass
            _begin(kind, name, text)
            try:
                return real(*args, **kwargs)
            finally:
                _end(kind, name)

        return spanned

    return make


def _after(tell):
    """For _replace(): tell(args, kwargs) once the call has returned."""

    def make(real):
        def told(*args, **kwargs):
            result = real(*args, **kwargs)
            try:
                tell(args, kwargs)
            except Exception:
                pass
            return result

        return told

    return make


def _argument(args, kwargs, at, name):
    """Returns an argument that may be given by place or by name; None if it is not given."""
    return args[at] if len(args) > at else kwargs.get(name)


def _number(text):
    """Returns a number of the environment; None if it is none."""
    try:
        return int(text)
    except (TypeError, ValueError):
        return None


class _OfObject:
    # What is known of objects of the program, without keeping them. weakref's own dictionary would
    # run frames that Dynamo compiles.

    def __init__(self):
        self.known = {}

    def of(self, thing, default=None):
        """Returns the list whose one item is what is known; `default` if the thing is new."""
        entry = self.known.get(id(thing))
        if entry is None or entry[0]() is not thing:
            key = id(thing)
            gone = _Reference(thing, lambda _: self.known.pop(key, None))
            entry = self.known[key] = (gone, [default])
        return entry[1]

    def values(self):
        return [value[0] for _, value in list(self.known.values())]
