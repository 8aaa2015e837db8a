# SPDX-License-Identifier: Apache-2.0
#
# The compilers' caches as this process finds them at its first compile, and the locks in them.
# Whether a cache was cold is the judge's to say: here are its directory, files and bytes, counted
# for some milliseconds at most.
_WALK_FILES = 4096
_WALK_CPU_S = 0.02  # not by the clock alone: on a busy machine a warm cache would look partial
_WALK_S = 0.3

_caches_told = False


def _walk(path):
    """Returns how many files and bytes there are, and whether that is all of them."""
    files = size = 0
    until, work = time.monotonic() + _WALK_S, time.thread_time() + _WALK_CPU_S
    todo = [path]
    while todo:
        try:
            with os.scandir(todo.pop()) as entries:
                for entry in entries:
                    late = time.monotonic() > until or time.thread_time() > work
                    if late or files >= _WALK_FILES:
                        return files, size, False
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
                    else:
                        files += 1
                        size += entry.stat(follow_symlinks=False).st_size
        except OSError:
            pass
    return files, size, True


def _tell_cache(key, path):
    """Tells a cache's path, files and bytes; a count that was cut short says so."""
    files, size, whole = _walk(path)
    _trait(key, path, files)
    _trait(key + "-bytes", None if whole else "at least", size)


def _inductor_cache():
    path = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    if not path:
        try:
            user = _Library("getpass").getuser()
        except Exception:
            user = "uid_%d" % os.getuid()
        user = "".join("_" if c in '\\/:*?"<>|' else c for c in user)
        path = os.path.join(_Library("tempfile").gettempdir(), "torchinductor_" + user)
    return os.path.abspath(path)


def _triton_cache():
    home = os.environ.get("TRITON_HOME") or os.path.expanduser("~")
    return os.environ.get("TRITON_CACHE_DIR") or os.path.join(home, ".triton", "cache")


def _tell_caches():
    """Runs once in a process, when it first compiles: what follows is its own doing."""
    global _caches_told
    if _caches_told:
        return
    _caches_told = True
    _tell_cache("cache", _inductor_cache())
    triton = _triton_cache()
    if os.path.isdir(triton):
        _tell_cache("triton-cache", triton)


# -- locks ----------------------------------------------------------------------------------------


class _Waiter:
    """Makes a span from the first vain try to the end of the wait; per thread, since one waits."""

    def __init__(self):
        self.mine = _Local()

    def begin(self):
        if not getattr(self.mine, "open", False):
            self.mine.open = True
            _begin(_COMPILE, "compile lock")

    def end(self):
        if getattr(self.mine, "open", False):
            self.mine.open = False
            _end(_COMPILE, "compile lock")


_lock_waiter = _Waiter()


def _try_lock(real):
    # This is called again and again until the lock is had.
    def _acquire(self):
        real(self)
        try:
            if self.is_locked:
                _lock_waiter.end()
            else:
                _lock_waiter.begin()
        except Exception:
            pass

    return _acquire


def _take_lock(real):
    def acquire(self, *args, **kwargs):
        try:
            return real(self, *args, **kwargs)
        finally:
            _lock_waiter.end()

    return acquire


@patches("torch.utils._filelock")
def _filelock(module):
    # This is torch's own subclass: what it inherits is replaced there, and nowhere else.
    _replace(module, "FileLock._acquire", _try_lock)
    _replace(module, "FileLock.acquire", _take_lock)


@patches("torch.utils.file_baton")
def _file_baton(module):
    _replace(module, "FileBaton.wait", _span(_COMPILE, "compile lock"))


@patches("torch.utils.cpp_extension")
def _cpp_extension(module):
    _replace(module, "_jit_compile", _span(_COMPILE, "extension build"))
