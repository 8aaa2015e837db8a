# SPDX-License-Identifier: Apache-2.0
#
# How much memory this process had at most, told when the interpreter ends, also of an exception:
# torch's own counters of its current device, and the kernel's of the process. Nothing is asked of a
# device that is not in use already, or of a process that ends otherwise.


def _tell_device_memory():
    cuda = sys.modules["torch"].cuda
    if not cuda.is_initialized():
        return
    statistics = cuda.memory_stats()  # kept by the allocator on the host
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
