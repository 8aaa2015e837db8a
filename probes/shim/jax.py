# SPDX-License-Identifier: Apache-2.0
#
# JAX: its version, who this process is, what it lowers and compiles, and the steps that a program
# marks for JAX's own profiler. XLA's operations are run below Python: nothing of them is seen here.
# Tracing is not told: it runs the program's own code, which may do anything.
_JAX_PHASES = {
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "jax lower",
    "/jax/core/compile/backend_compile_duration": "xla compile",
}
_JAX_AT_MOST = 256  # lowerings that are told: each of JAX's small functions has one

_jax_phases = _Local()
_jax_told = {}
_jax_cache_told = False


@patches("jax.version")
def _jax_version(module):
    _learn("framework", "jax " + str(want(module, "__version__")))


# -- compiles -------------------------------------------------------------------------------------


def _tell_jax_cache():
    """Tells of JAX's cache, once, at the first compile; that there is none is told, too."""
    global _jax_cache_told
    if _jax_cache_told:
        return
    _jax_cache_told = True
    path = _Library("jax._src.config").compilation_cache_dir.value
    if path and "://" not in path:
        _tell_cache("cache", os.path.abspath(path))
    elif not path:
        _trait("cache", "none")


def _open_jax_phases():
    opened = getattr(_jax_phases, "opened", None)
    if opened is None:
        opened = _jax_phases.opened = []
    return opened


def _jax_phase_begins(context):
    """Tells of the outermost of phases that lie one in the other."""
    opened = _open_jax_phases()
    within = any(opened)
    opened.append(None)  # whatever happens here, its end takes it away again
    name = _JAX_PHASES.get(getattr(context, "event", None))
    told = _jax_told[name] = _jax_told.get(name, 0) + 1
    if not name or within or (name != "xla compile" and told > _JAX_AT_MOST):
        return
    _announce()
    _tell_jax_cache()
    opened[-1] = name
    _begin(_COMPILE, name, str(context.fun_name) if name == "xla compile" else None)


def _jax_phase_ends():
    opened = _open_jax_phases()
    name = opened.pop() if opened else None
    if name:
        _end(_COMPILE, name)


def _entering_jax_phase(real):
    def __enter__(self):
        result = real(self)
        try:
            _jax_phase_begins(self)
        except Exception:
            pass
        return result

    return __enter__


def _leaving_jax_phase(real):
    def __exit__(self, *args):
        try:
            _jax_phase_ends()
        except Exception:
            pass
        return real(self, *args)

    return __exit__


@patches("jax._src.dispatch")
def _jax_dispatch(module):
    # Where JAX itself measures its phases, for jax.monitoring. A listener there would be one that
    # the program sees, and clears; and before 2025 none is told of a beginning.
    if hasattr(module, "LogElapsedTimeContextManager"):
        _replace(module, "LogElapsedTimeContextManager.__enter__", _entering_jax_phase)
        _replace(module, "LogElapsedTimeContextManager.__exit__", _leaving_jax_phase)


@patches("jax._src.compiler")
def _jax_compiler(module):
    _replace_any(module, ("compile_or_get_cached", "backend_compile"), _announced_compile)


def _announced_compile(real):
    spanned = _span(_COMPILE, "xla compile")(real)

    def compiled(*args, **kwargs):
        _announce()
        if any(_open_jax_phases()):
            return real(*args, **kwargs)
        return spanned(*args, **kwargs)

    return compiled


@patches("jax._src.monitoring")
def _jax_monitoring(module):
    # The answers of the compilation cache.
    _replace(module, "record_event", _after(_jax_event))


def _jax_event(args, kwargs):
    event = _argument(args, kwargs, 0, "event")
    if event in ("/jax/compilation_cache/cache_hits", "/jax/compilation_cache/cache_misses"):
        _cache_says("jax-cache", "miss" if event.endswith("misses") else "hit")


# -- who it is ------------------------------------------------------------------------------------


def _jax_is(rank, world):
    if isinstance(rank, int) and isinstance(world, int) and 0 <= rank < world:
        _inquest.identify(rank, world, "jax.distributed")
        _announce()


_JAX_WAITS = {"wait_at_barrier": "barrier", "blocking_key_value_get": "key",
              "blocking_key_value_get_bytes": "key"}


def _jax_numbers(numbers):
    # In order, as "0,2-5"; None for what is none, or is too long to be kept.
    runs = []
    for number in sorted(set(numbers)) if isinstance(numbers, (list, tuple)) else ():
        if type(number) is not int or number < 0:
            return None
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    text = ",".join(str(a) if a == b else "%d-%d" % (a, b) for a, b in runs)
    return text if text and len(text) < 200 else None


def _jax_waits_for(what, args, kwargs):
    if what != "barrier":
        _inquest.key_wait(what, _argument(args, kwargs, 0, "key"))
        return
    name = "barrier " + _argument(args, kwargs, 0, "barrier_id")
    some = _argument(args, kwargs, 2, "process_ids")
    if some is None:
        _inquest.key_wait(what, name)
        return
    # Who is not named there is not waited for.
    some = _jax_numbers(some)
    if some is not None:
        _inquest.key_wait("barrier of some", name + " of " + some)


def _jax_waiting(what):
    def make(real):
        def waits(self, *args, **kwargs):
            failed = 1
            try:
                _jax_waits_for(what, args, kwargs)
            except Exception:
                pass
            try:
                result = real(self, *args, **kwargs)
                failed = 0
            finally:
                _inquest.key_wait_over(failed)
            return result

        return waits

    return make


def _jax_watch(client):
    # The coordination service's, of whatever module of jaxlib it is.
    kind = type(client)
    for name, what in _JAX_WAITS.items():
        real = getattr(kind, name, None)
        if real is not None and not hasattr(real, "__wrapped__"):
            setattr(kind, name, _look_like(_jax_waiting(what)(real), real))


def _jax_joining(real):
    # It waits in there until all have come: who comes is told before, as far as it is known.
    def initialize(self, *args, **kwargs):
        try:
            _jax_is(_argument(args, kwargs, 2, "process_id"),
                    _argument(args, kwargs, 1, "num_processes"))
        except Exception:
            pass
        result = real(self, *args, **kwargs)
        try:
            _jax_is(self.process_id, self.num_processes)
            _learn("met", "jax.distributed")
            _jax_watch(self.client)
        except Exception:
            pass
        return result

    return initialize


@patches("jax._src.distributed")
def _jax_distributed(module):
    _replace(module, "State.initialize", _jax_joining)


def _jax_detecting(real):
    # What the launcher's variables say, where arguments do not.
    def auto_detect_unset_distributed_params(cls, *args, **kwargs):
        result = real(cls, *args, **kwargs)
        try:
            _jax_is(result[2], result[1])
        except Exception:
            pass
        return result

    return auto_detect_unset_distributed_params


@patches("jax._src.clusters.cluster")
def _jax_clusters(module):
    kind = getattr(module, "ClusterEnv", None)
    name = "auto_detect_unset_distributed_params"
    real = getattr(kind, "__dict__", {}).get(name)
    if isinstance(real, classmethod):
        setattr(kind, name, classmethod(_look_like(_jax_detecting(real.__func__), real.__func__)))
    else:
        missing("%s.ClusterEnv.%s" % (module.__name__, name))


# -- steps ----------------------------------------------------------------------------------------


def _is_of_training(name):
    others = ("eval", "test", "valid", "predict")
    return isinstance(name, str) and not any(other in name.lower() for other in others)


def _jax_steps(real):
    # So many are done when that one begins, where they are counted from 0. A number that is no int
    # is let alone: to ask an array for its value waits for the device. Passes of evaluation have
    # numbers of their own.
    def __init__(self, *args, **kwargs):
        real(self, *args, **kwargs)
        try:
            number = kwargs.get("step_num")
            name = args[0] if args else kwargs.get("name")
            if type(number) is int and number > 0 and _is_of_training(name):
                _announce()
                _inquest.step(number)
        except Exception:
            pass

    return __init__


@patches("jax._src.profiler")
def _jax_profiler(module):
    _replace(module, "StepTraceAnnotation.__init__", _jax_steps)
