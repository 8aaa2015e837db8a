# SPDX-License-Identifier: Apache-2.0
"""
job.py DIR DEED: a program that uses the fake packages in DIR (fakes.py), and asks of every call
that its result, its exception and its looks are those of the function without the shim.
"""

import copy
import datetime
import importlib
import inspect
import io
import os
import pickle
import sys
import threading
import time

sys.path.insert(0, sys.argv[1])


def use(name):
    return importlib.import_module(name)


def expect(condition, what):
    if not condition:
        print("not as without the shim:", what)
        sys.exit(1)


class Raises:
    def __init__(self, kind, text):
        self.kind, self.text = kind, text

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        expect(kind is self.kind and str(value) == self.text, self.text)
        return True


class Ids:
    """A dataset: what the loader gives."""

    def __init__(self, batches):
        self.batches = batches

    def __iter__(self):
        return iter(self.batches)


class Words(Ids):
    pass


def join(where):
    """As a rank of a job does."""
    use("torch.version")
    c10d = use("torch.distributed.distributed_c10d")
    expect(c10d.init_process_group.__doc__ == "Initialises.", "the doc")
    expect("world_size" in inspect.signature(c10d.init_process_group).parameters, "the signature")
    if "RANK" in os.environ:
        c10d.init_process_group("nccl", world_size=8)
        return
    c10d.init_process_group("gloo", timeout=datetime.timedelta(seconds=77))
    made = c10d._new_process_group_helper(3, 1, [0, 2, 3], "nccl", "store", "5",
                                          group_desc="mesh_tp")
    expect(made == ("5", "store"), "what the helper returns")
    with Raises(RuntimeError, "no such backend"):
        c10d._new_process_group_helper(2, 0, [0, 1], "bad", "store", "x")
    with Raises(TypeError, "_new_process_group_helper() missing 5 required positional arguments: "
                "'group_rank', 'global_ranks_in_group', 'backend', 'store', and 'group_name'"):
        c10d._new_process_group_helper(1)


def handle(where):
    """Comes to a collective in a `finally`, in a handler, and behind both."""
    c10d = use("torch.distributed.distributed_c10d")

    def leave(text):
        try:
            raise KeyError(text)
        finally:
            for turn in range(2):
                expect(not c10d._rank_not_in_group(None), "a member")

    with Raises(KeyError, "'first'"):
        leave("first")
    try:
        leave("second")
    except KeyError:
        expect(c10d._rank_not_in_group(group="not mine"), "no member")
    expect(not c10d._rank_not_in_group(None), "a member")
    with Raises(TypeError, "_rank_not_in_group() missing 1 required positional argument: 'group'"):
        c10d._rank_not_in_group()


def spawned(where):
    """A rank that spawn has started: of its exception only the parent hears."""
    wrap = use("torch.multiprocessing.spawn")._wrap
    expect(wrap.__doc__ == "Wraps.", "the doc")
    expect(pickle.loads(pickle.dumps(wrap)) is wrap, "what the parent sends")
    heard = []

    def train(rank, rows):
        expect(rank == 2, "the arguments")
        return 1 // rows

    for rows in 1, 0:
        wrap(train, 2, (rows,), heard)
    expect(heard == ["integer division or modulo by zero"], "what is handed on")


def steps(where):
    optimizer = use("torch.optim.optimizer").Optimizer
    torch = use("torch")
    first, second = optimizer(), optimizer()
    for turn in range(3):
        expect(first.step() == "stepped", "step()")
        expect(second.step() == "stepped", "step()")
    torch.compiler.compiling = True
    first.step()
    torch.compiler.compiling = False
    expect(copy.deepcopy(first).__dict__ == {} and pickle.dumps(first), "an optimizer's contents")


def load(where):
    loaders = use("torch.utils.data.dataloader")
    tensor = use("torch").Tensor
    batches = [{"ids": tensor(4, 128), "n": 4}, {"ids": tensor(2, 64), "n": 2}]
    train = loaders.DataLoader(Ids(batches))
    other = loaders.DataLoader(Ids([[tensor(0, 16), tensor(0)]]))
    words = loaders.DataLoader(dataset=Words([["a", "b", "c"], [], {"t": ["x", "y"]}, None, 7]))
    expect([b for b in train] == batches, "the batches")
    expect([len(b) for b in other] == [2], "the batches")
    expect(len(list(words)) == 5, "the batches")
    expect(len(list(train)) == 2, "a second pass")
    iterator = iter(train)
    expect(isinstance(iterator, loaders._BaseDataLoaderIter), "the iterator's class")
    expect(type(iterator).__doc__ == "An iterator.", "the iterator's doc")
    with Raises(TypeError, "'NoneType' object is not iterable"):
        iter(loaders.DataLoader(Ids(None)))


def compile_it(where):
    callback = use("torch._dynamo.callback").callback_handler
    utils = use("torch._dynamo.utils")
    graphs = use("torch._dynamo.output_graph").OutputGraph()
    log = utils.ChromiumEventLogger()

    class Args:
        callback_trigger = type("T", (), {"name": "DYNAMO"})
        compile_id = "3/1"

    for called in callback.start + callback.end:
        called(Args())
    expect(not utils.counters, "the counters")
    for start in callback.start:
        start(Args())
    log.log_event_start("entire_frame_compile", 1, {})
    log.log_event_start("TritonBundler.load_cached_static_autotuners", 1, {})
    expect(graphs.call_user_compiler(graph("add", "all_reduce")) == "compiled", "a compiled graph")
    expect(log.log_event_start("inductor_compile", 1, {}) == ("start", "inductor_compile"), "a log")
    log.log_event_start("inductor_compile", 1, {})
    for turn in range(50):
        log.log_event_start("compile_file", 1, metadata={})
        log.log_event_end("compile_file", 1, {}, 0)
    log.log_event_start("pad_mm_benchmark", 1, {})
    log.log_event_end("inductor_compile", 2, {}, 1)
    log.log_event_end("inductor_compile", 2, {}, 1)
    log.log_instant_event("fx_graph_cache_miss", 2)
    expect(log.log_instant_event("fx_graph_cache_hit", 2) == ("instant", "fx_graph_cache_hit"),
           "an instant")
    with Raises(RuntimeError, "the backend failed"):
        graphs.call_user_compiler(graph("mul"), "bad")
    utils.counters["graph_break"]["call to print()"] = 2
    for end in callback.end:
        end(Args())
    for start in callback.start:
        start()  # as old versions do: and this one never ends


class graph:
    """Looks like a module of torch.fx."""

    def __init__(self, *names):
        def node(name):
            def target():
                pass

            target.__name__ = name
            target.__module__ = "torch.ops._c10d_functional" if name == "all_reduce" else "torch"
            return type("Node", (), {"op": "call_function", "target": staticmethod(target)})()

        self.graph = type("Graph", (), {"nodes": [node(name) for name in names]})()


class Path(os.PathLike):
    def __fspath__(self):
        raise RuntimeError("asked too early")


def save(where):
    serialization = use("torch.serialization")
    expect(serialization.save({}, "a.pt") == "saved", "save()")
    expect(serialization.save("nested", f="b.pt") == "saved", "save() in save()")
    expect(serialization.save({}, Path()) == "saved", "save() to a path that cannot be told")
    expect(serialization.save({}, io.BytesIO()) == "saved", "save() to memory")
    expect(serialization.load("a.pt", map_location=None) == ("loaded", "a.pt"), "load()")
    with Raises(ValueError, "bad"):
        serialization.save("bad", "c.pt")
    expect(pickle.loads(pickle.dumps(serialization.save)) is serialization.save, "pickling save")
    saver = use("torch.distributed.checkpoint.state_dict_saver")
    expect(saver.save({}, checkpoint_id="ck/7") == "ck/7", "a distributed save()")
    expect(use("safetensors.torch").save_file({}, "d.safetensors") is None, "save_file()")


def shape(where):
    use("torch.optim.optimizer").Optimizer().step()
    use("torch.nn.parallel.distributed").DistributedDataParallel(module=1)
    sharded = use("torch.distributed.fsdp._fully_shard._fully_shard").fully_shard
    expect(sharded(2) == 2 and sharded.state == "kept", "fully_shard()")
    use("torch.distributed.tensor.parallel.api").parallelize_module(3)
    use("torch.distributed.pipelining.schedules")._PipelineSchedule(4)
    with use("torch.distributed.algorithms.join").Join():
        pass
    symmetric = use("torch.distributed._symmetric_memory")
    expect(symmetric.get_symm_mem_workspace("g", 7) == 7, "a workspace")
    expect(symmetric.rendezvous(5, "g") == 5, "rendezvous()")
    expect(use("nvshmem.core.init_fini").init(device=6) == 6, "init() of NVSHMEM")
    expect(use("deep_ep.buffer").Buffer(group=7).group == 7, "a buffer of DeepEP")


def lock(where):
    locks = use("torch.utils._filelock")
    expect(locks.FileLock(tries=1).acquire().is_locked, "a free lock")
    expect(locks.FileLock(tries=4).acquire().is_locked, "a lock that others held")
    with Raises(TimeoutError, "the lock"):
        locks.FileLock(tries=4).acquire(timeout=0)
    expect(locks.BaseLock._acquire.__qualname__ == "BaseLock._acquire", "the class of others")
    expect(not hasattr(locks.BaseLock._acquire, "__wrapped__"), "the class of others")
    expect(use("torch.utils.file_baton").FileBaton().wait() == "waited", "a baton")
    expect(use("torch.utils.cpp_extension")._jit_compile("ext", []) == "ext", "an extension")


def kernels(where):
    expect(use("triton.compiler.compiler").compile("src", target=1) == "src", "triton.compile()")
    expect(use("triton.runtime.autotuner").Autotuner()._bench(1) == 1.5, "a benchmark")


def jax_joins(where):
    """By arguments, or by what its launcher says; then it compiles, and marks steps."""
    use("jax.version")
    clusters = use("jax._src.clusters.cluster").ClusterEnv
    detect = "auto_detect_unset_distributed_params"
    expect(isinstance(clusters.__dict__[detect], classmethod), "a method of the class")
    expect(getattr(clusters, detect)("a:1", 7, -1, None) == ("a:1", 7, -1, None), "a detection")
    state = use("jax._src.distributed").State()
    state.initialize("a:1", *eval(os.environ.get("JAX_ASKS", "()")))
    expect((state.process_id, state.num_processes) == (5, 6), "a process of JAX")
    jax_waits(state.client)
    jax_compiles(os.environ.get("JAX_KEEPS"))
    steps = use("jax._src.profiler").StepTraceAnnotation
    for n in range(3):
        with steps("train", step_num=n) as step:
            expect(step.said == ("train", {"_r": 1, "step_num": n}), "a step")
    steps("train")
    steps("train", step_num="many")
    steps("eval", step_num=1000)

    class Held:
        # An array whose value is not there yet: who asks for it waits.
        def __int__(self):
            raise SystemExit("its value was asked for")

    steps("train", step_num=Held())


def jax_waits(client):
    """What takes a while, of the main thread, for all processes; and what fails."""
    client.wait_at_barrier("saved", 50)
    client.wait_at_barrier(barrier_id="soon", timeout_in_ms=0)
    client.wait_at_barrier("some", 50, [0, 5])
    client.wait_at_barrier(b"odd", 50)
    expect(client.blocking_key_value_get("plan", timeout_in_ms=50) == "of plan", "a key")
    beside = threading.Thread(target=client.wait_at_barrier, args=("beside", 50))
    beside.start()
    beside.join()
    try:
        client.wait_at_barrier("never", -1)
        expect(False, "a barrier that fails")
    except RuntimeError as error:
        expect(str(error) == "DEADLINE_EXCEEDED", "how a barrier fails")
    expect(type(client).wait_at_barrier.__qualname__ == "Client.wait_at_barrier", "a method")


def jax_compiles(cache):
    config = use("jax._src.config")
    if cache:
        config.compilation_cache_dir.value = cache
    measure = use("jax._src.dispatch").LogElapsedTimeContextManager
    compiler = use("jax._src.compiler")
    monitoring = use("jax._src.monitoring")
    expect(measure.__enter__.__qualname__ == measure.__name__ + ".__enter__", "a method's name")

    def phase(name):
        return measure("{fun_name}", "jit(step)", "/jax/core/compile/%s_duration" % name)

    with phase("jaxpr_trace"):
        with phase("jaxpr_trace"):
            pass
    with measure("{fun_name}", "of no event"):
        pass
    with phase("jaxpr_to_mlir_module"):
        pass
    with phase("backend_compile"):
        expect(compiler.compile_or_get_cached(4) == 4, "XLA")
        monitoring.record_event("/jax/compilation_cache/cache_hits", of=3)
        monitoring.record_event("/jax/compilation_cache/compile_requests_use_cache")
    expect(len(monitoring.heard) == 2 and monitoring.heard[0][1] == {"of": 3}, "events")
    try:
        with phase("backend_compile"):
            raise ValueError("XLA")
    except ValueError:
        pass
    expect(compiler.compile_or_get_cached(5) == 5, "XLA of old")


def worker_pool(where):
    pool = use("torch._inductor.compile_worker.subproc_pool").SubprocPool()
    expect(pool._on_sidecar_death(-9) is None, "a pool's end")


def peak(where):
    """Ends with CUDA in a state that the environment names; who asks wrongly never comes back."""
    state = os.environ.get("PEAK", "ready")
    lock = threading.Lock()
    held = threading.Event()

    def hold():
        with lock:
            held.set()
            time.sleep(1000)  # as in cudaMalloc(), of a device that is wedged

    class cuda:
        def is_initialized():
            return state != "unmade"

        def get_allocator_backend():
            return "cudaMallocAsync" if state == "driver's" else "native"

        def memory_stats():
            if state == "raises":
                raise RuntimeError("CUDA error: an illegal memory access was encountered")
            if state in ("unmade", "driver's"):
                time.sleep(1000)
            with lock:
                return {"allocated_bytes.all.peak": 5000, "reserved_bytes.all.peak": 7000}

    use("torch").cuda = cuda
    if state == "old":
        del cuda.get_allocator_backend
    if state == "gone":
        del cuda.is_initialized
    if state == "held":
        threading.Thread(target=hold, daemon=True).start()
        held.wait()
    if state == "waits":
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    expect(use("torch.optim.optimizer").Optimizer().step() == "stepped", "step()")


def look(where):
    """Only imports all there is: in other versions the names are not what they were."""
    sys.path.insert(0, __file__.rsplit("/", 1)[0])
    for name in sorted(use("fakes").MODULES):
        use(name)
    old = getattr(use("torch.optim.optimizer"), "Optimizer", None)
    if hasattr(old, "_hook_for_profile"):
        for turn in range(4):
            expect(old().step() == "stepped", "step() of old")
        one = old()
        expect([one.step() for turn in range(5)] == ["stepped"] * 5, "step() of old")


DEEDS = {each.__name__: each for each in (join, handle, spawned, steps, load, compile_it, save,
                                          shape, lock, kernels, jax_joins, worker_pool, peak, look)}
DEEDS[sys.argv[2]](sys.argv[1])
print("as without")
sys.exit(3)  # so that the ring of this process, which is no rank, outlives it
