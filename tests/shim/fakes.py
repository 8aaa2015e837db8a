# SPDX-License-Identifier: Apache-2.0
"""
fakes.py DIR [WORD...]: packages `torch`, `triton`, `jax`, ... in DIR, of which each module has what
the shim asks for and nothing else. WORDs make other versions of them:

    moved     names that the shim asks for are not there
    hostile   they are there, and are of other kinds than ever before
    old       as torch was before 2.0
"""

import os
import re
import sys

MODULES = {}


def module(name, text):
    MODULES[name] = text


# Modules of Python's library that the shim uses once the framework has them are imported as there.
module("torch", "import inspect  # noqa: F401\n\n\n"
       "class Tensor:\n    def __init__(self, *shape):\n        self.shape = shape\n\n\n"
       "class compiler:\n    compiling = False\n\n"
       "    @classmethod\n    def is_compiling(cls):\n        return cls.compiling\n")
module("torch.version", "__version__ = '9.8.7+fake'\n")
module("torch.serialization", """
def save(obj, f, pickle_module=None):
    "Saves."
    if obj == "bad":
        raise ValueError("bad")
    if obj == "nested":
        save("inner", "inner.pt")
    return "saved"


def load(f, map_location=None):
    return ("loaded", f)
""")
module("torch.optim.optimizer", """
import torch

_hooks = []


def register_optimizer_step_post_hook(hook):
    _hooks.append(hook)


class Optimizer:
    def step(self, closure=None):
        for hook in _hooks:
            hook(self, (), {})
        return "stepped"
""")
module("torch.utils.data.dataloader", """
class _BaseDataLoaderIter:
    "An iterator."

    def __init__(self, loader):
        self.batches = iter(loader.dataset)
        self._num_yielded = 0

    def __next__(self):
        batch = next(self.batches)
        self._num_yielded += 1
        return batch

    def __iter__(self):
        return self


class DataLoader:
    def __init__(self, dataset, batch_size=1):
        self.dataset = dataset

    def __iter__(self):
        return _BaseDataLoaderIter(self)
""")
module("torch._dynamo.callback", """
class Handler:
    def __init__(self):
        self.start, self.end = [], []

    def register_start_callback(self, callback):
        self.start.append(callback)

    def register_end_callback(self, callback):
        self.end.append(callback)


callback_handler = Handler()
""")
module("torch._dynamo.utils", """
import collections

counters = collections.defaultdict(dict)
graph_break_reasons = []


class ChromiumEventLogger:
    def log_event_start(self, event_name, time_ns, metadata, log=False, compile_id=None):
        return ("start", event_name)

    def log_event_end(self, event_name, time_ns, metadata, start_ns, log=False):
        return ("end", event_name)

    def log_instant_event(self, event_name, time_ns, metadata=None):
        return ("instant", event_name)
""")
module("torch._dynamo.output_graph", """
class OutputGraph:
    dynamo_compile_id = "3/1"

    def call_user_compiler(self, gm, example_inputs=None):
        if example_inputs == "bad":
            raise RuntimeError("the backend failed")
        return "compiled"
""")
module("torch._inductor.compile_worker.subproc_pool", """
class SubprocPool:
    def _on_sidecar_death(self, returncode):
        return None
""")
module("torch.utils._filelock", """
class BaseLock:
    def __init__(self, tries):
        self.tries = tries
        self.is_locked = False

    def _acquire(self):
        self.tries -= 1
        self.is_locked = self.tries <= 0

    def acquire(self, timeout=None):
        while not self.is_locked:
            self._acquire()
            if timeout == 0 and not self.is_locked:
                raise TimeoutError("the lock")
        return self


class FileLock(BaseLock):
    pass
""")
module("torch.utils.file_baton", """
class FileBaton:
    def wait(self):
        return "waited"
""")
module("torch.utils.cpp_extension", "def _jit_compile(name, sources):\n    return name\n")
module("torch.distributed.distributed_c10d", """
_made = []


def is_initialized():
    return bool(_made)


def get_rank(group=None):
    return 3


def get_world_size(group=None):
    return 8


def _rank_not_in_group(group):
    return group == "not mine"


def _new_process_group_helper(
    group_size, group_rank, global_ranks_in_group, backend, store, group_name,
    backend_options=None, timeout=None, pg_tag=None, group_desc=None,
):
    if backend == "bad":
        raise RuntimeError("no such backend")
    _made.append(group_name)
    if callable(store):
        store(group_name, group_rank, group_size)
    return group_name, store


class GroupMember:
    WORLD = None
    NON_GROUP_MEMBER = -100


def destroy_process_group(group=None):
    "Destroys."
    if group == "invalid":
        raise ValueError("Invalid process group specified")


def init_process_group(
    backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None,
):
    "Initialises."
    _new_process_group_helper(8, 3, [], backend, None, "0", timeout=timeout,
                              group_desc="default_pg")
""")
module("torch.multiprocessing.spawn", """
def _wrap(fn, i, args, error_file):
    "Wraps."
    try:
        fn(i, *args)
    except Exception as error:
        error_file.append(str(error))
""")
module("torch.nn.parallel.distributed", "class DistributedDataParallel:\n"
       "    def __init__(self, module):\n        self.module = module\n")
module("torch.distributed.fsdp._fully_shard._fully_shard",
       "def fully_shard(module):\n    return module\n\n\nfully_shard.state = 'kept'\n")
module("torch.distributed.fsdp.fully_sharded_data_parallel", "class FullyShardedDataParallel:\n"
       "    def __init__(self, module):\n        self.module = module\n")
module("torch.distributed.tensor.parallel.api", "def parallelize_module(module):\n"
       "    return module\n")
module("torch.distributed.pipelining.schedules", "class _PipelineSchedule:\n"
       "    def __init__(self, n):\n        self.n = n\n")
module("torch.distributed._symmetric_memory", "def rendezvous(tensor, group):\n"
       "    return tensor\n\n\ndef get_symm_mem_workspace(group, size):\n    return size\n")
module("nvshmem.core.init_fini", "def init(device=None, uid=None):\n    return device\n")
module("deep_ep.buffer", "class Buffer:\n    def __init__(self, group):\n"
       "        self.group = group\n")
module("torch.distributed.algorithms.join", """
class Join:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None
""")
module("torch.distributed.checkpoint.state_dict_saver",
       "def save(state_dict, *, checkpoint_id=None):\n    return checkpoint_id\n")
module("torch.distributed.checkpoint.state_dict_loader",
       "def load(state_dict, *, checkpoint_id=None):\n    return checkpoint_id\n")
module("safetensors.torch", "def save_file(tensors, filename):\n    return None\n\n\n"
       "def load_file(filename):\n    return {}\n")
module("triton.compiler.compiler", "def compile(src, target=None):\n    return src\n")
module("triton.runtime.autotuner", "class Autotuner:\n    def _bench(self, *args):\n"
       "        return 1.5\n")
module("jax.version", "__version__ = '0.0.1'\n")
module("jax._src.compiler", "def compile_or_get_cached(backend):\n    return backend\n")
module("jax._src.config", """
class compilation_cache_dir:
    value = None
""")
module("jax._src.dispatch", """
class LogElapsedTimeContextManager:
    __slots__ = ["fmt", "fun_name", "event", "start_time"]

    def __init__(self, fmt, fun_name, event=None):
        self.fmt = fmt
        self.fun_name = fun_name
        self.event = event

    def __enter__(self):
        self.start_time = 1

    def __exit__(self, exc_type, exc_value, traceback):
        return None
""")
module("jax._src.monitoring", "heard = []\n\n\ndef record_event(event, **kwargs):\n"
       "    heard.append((event, kwargs))\n")
module("jax._src.profiler", """
class TraceAnnotation:
    def __init__(self, name, **kwargs):
        self.said = (name, kwargs)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


class StepTraceAnnotation(TraceAnnotation):
    def __init__(self, name, **kwargs):
        super().__init__(name, _r=1, **kwargs)
""")
module("jax._src.clusters.cluster", """
class ClusterEnv:
    @classmethod
    def auto_detect_unset_distributed_params(cls, address, num_processes, process_id, local):
        return (address, num_processes or 6, 5 if process_id is None else process_id, local)
""")
module("jax._src.distributed", """
import sys
import time

from jax._src.clusters import cluster as clusters


class Client:
    def wait_at_barrier(self, barrier_id, timeout_in_ms, process_ids=None):
        if timeout_in_ms < 0:
            raise RuntimeError("DEADLINE_EXCEEDED")
        time.sleep(timeout_in_ms / 1000)

    def blocking_key_value_get(self, key, timeout_in_ms):
        time.sleep(timeout_in_ms / 1000)
        return "of " + key


class State:
    process_id = 0
    num_processes = 1
    client = None

    def initialize(self, coordinator_address=None, num_processes=None, process_id=None,
                   local_device_ids=None):
        if None in (num_processes, process_id):
            found = clusters.ClusterEnv.auto_detect_unset_distributed_params(
                coordinator_address, num_processes, process_id, local_device_ids)
            _, num_processes, process_id, _ = found
        self.process_id = process_id
        self.num_processes = num_processes
        self.client = Client()
        sys.audit("inquest.note", "connects")
""")

OLD = """
class Optimizer:
    def __init__(self):
        self._hook_for_profile()

    def _hook_for_profile(self):
        hooked = getattr(type(self).step, "hooked", None)
        if not hooked:
            real = type(self).step

            def step(self, *args):
                return real(self, *args)

            step.hooked = True
            type(self).step = step

    def step(self, closure=None):
        return "stepped"
"""


def packages_of(name):
    parts = name.split(".")
    return [".".join(parts[:n]) for n in range(1, len(parts))]


def text_of(name, words):
    """What a module has in this version; a package is never without its own."""
    if name == "torch.optim.optimizer" and "old" in words:
        return OLD
    if name in ("torch", "torch.version"):
        return MODULES[name]
    if "moved" in words:
        return "nothing = 1\n"
    return MODULES[name]


def hostile(text):
    """Every function, class and object of the module is a number instead."""
    names = re.findall(r"^(?:def|class) (\w+)|^(\w+) = ", text, re.MULTILINE)
    return "".join("%s = 17\n" % (made or named) for made, named in names)


def make(folder, words):
    packages = set()
    for name in MODULES:
        packages.update(packages_of(name))
    for name in sorted(set(MODULES) | packages):
        text = text_of(name, words) if name in MODULES else ""
        if "hostile" in words and name not in packages and name != "torch.version":
            text = hostile(text)
        path = os.path.join(folder, *name.split("."))
        if name in packages:
            os.makedirs(path, exist_ok=True)
            path = os.path.join(path, "__init__")
        with open(path + ".py", "w") as file:
            file.write(text)


if __name__ == "__main__":
    make(sys.argv[1], sys.argv[2:])
