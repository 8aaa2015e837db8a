# SPDX-License-Identifier: Apache-2.0
#
# How much memory this process had at most, told when the interpreter ends, also of an exception:
# torch's own counters of its current device, and the kernel's of the process.
#
# At that moment the device may be wedged, and the program must end as it would without us. So
# nothing is asked that could begin with CUDA (is_initialized() reads a variable, and where it says
# no nothing else is called), or wait for the device. torch's native allocator keeps its counters
# on the host, under a lock; cudaMallocAsync asks the driver. The lock is held by a thread that
# waits in cudaMalloc() for a device that never answers, and who asks then stands there for ever,
# with the GIL: no thread of ours and no deadline would help. So they are asked for only where each
# other thread of Python's waits in Python itself, which none does that is in the allocator; what
# torch's own threads allocate is part of a call that the main thread has come back from.

_WAITS = frozenset(  # modules in whose own functions a thread stands that waits for another
    ("threading", "queue", "selectors", "socket", "subprocess", "multiprocessing.connection",
     "concurrent.futures.thread"))


def _others_wait():
    mine = sys.modules["_thread"].get_ident()
    return all(thread == mine or frame.f_globals.get("__name__") in _WAITS
               for thread, frame in sys._current_frames().items())


def _tell_device_memory():
    cuda = sys.modules["torch"].cuda
    if not cuda.is_initialized():
        return
    backend = getattr(cuda, "get_allocator_backend", None)  # before torch 2.0 there was one
    if (backend is not None and backend() != "native") or not _others_wait():
        return
    statistics = cuda.memory_stats()
    for key, name in (("memory-allocated", "allocated"), ("memory-reserved", "reserved")):
        peak = statistics.get("%s_bytes.all.peak" % name)
        if peak is not None:
            _trait(key, None, int(peak))


def _tell_process_memory():
    with sys.modules["io"].open("/proc/self/status", "rb") as status:
        for line in status:
            if line[:6] == b"VmHWM:":
                _trait("rss-peak", None, int(line.split()[1]) * 1024)


def _tell_memory(whose):
    if os.getpid() != whose:
        return  # a fork of the process that is to tell, which makes no ring for this
    for tell in (_tell_device_memory, _tell_process_memory):
        try:
            tell()
        except Exception:
            pass


def _tell_memory_at_exit():
    _Library("atexit").register(_tell_memory, os.getpid())
