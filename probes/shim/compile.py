# SPDX-License-Identifier: Apache-2.0
#
# Compilation by torch.compile, as spans.
#
# The outermost bracket is Dynamo's own callback: one span from the first frame that starts to the
# last that ends, named by what set it off. Inside of it dynamo_timed() names some sixty phases per
# graph, all through one logger; the few of _PHASES are spans of their own, once each: nested ones
# of one name are one span, and each name is recorded only some times per bracket, since the ring
# pins what compiles tell and a graph of a thousand kernels must not wash the first graph out.
#
# A graph that Dynamo hands to its backend is the span "graph N/M" by its compile id, with an
# identity as detail: equal wherever the same ops follow each other, whatever the shapes, the
# addresses and the names of process groups. Ranks that compiled other graphs are found by it.

_PHASES = {
    "create_aot_dispatcher_function": (_COMPILE, "aot"),
    "inductor_compile": (_COMPILE, "inductor codegen"),
    "compile_fx_inner": (_COMPILE, "inductor codegen"),
    "async_compile.wait": (_COMPILE, "backend compile"),
    "async_compile.precompile": (_COMPILE, "backend compile"),
    "compile_file": (_COMPILE, "backend compile"),
    "CachingAutotuner.synchronize": (_DEVICE, "gpu synchronize"),
}
_AT_MOST = 4  # of one phase in one bracket
_TRIGGERS = {
    "LAZY_BACKWARD": "lazy backward",
    "TRITON_AUTOTUNING": "triton autotuning",
    "CUDAGRAPH_RECORDING": "cudagraph recording",
}

_phase_of_thread = _Local()
_recorded = {}
_bracket = None
_results = {}


# -- the outermost bracket ------------------------------------------------------------------------


def _compile_starts(*args):
    # This and the next are called with a lock held: an outer bracket is never opened twice.
    global _bracket
    try:
        trigger = getattr(args[0], "callback_trigger", None) if args else None
        _bracket = _TRIGGERS.get(getattr(trigger, "name", None), "dynamo")
        _recorded.clear()
        _announce()
        _begin(_COMPILE, _bracket)
        _tell_caches()
    except Exception:
        pass


def _compile_ends(*args):
    global _bracket
    try:
        name, _bracket = _bracket, None
        if name:
            _end(_COMPILE, name)
        _tell_breaks()
    except Exception:
        pass


@patches("torch._dynamo.callback")
def _dynamo_callback(module):
    at_start = want(module, "callback_handler.register_start_callback")
    at_end = want(module, "callback_handler.register_end_callback")
    if at_start and at_end:
        at_start(_compile_starts)
        at_end(_compile_ends)


# -- phases ---------------------------------------------------------------------------------------


def _phase_named(event):
    """Returns (kind, name) of an event; None for one of no interest."""
    phase = _PHASES.get(event)
    if phase is None and ("bench" in event or event.startswith("pad_mm_") or
                          event.endswith(("autotune", "autotuning", "_tuning"))):
        phase = (_DEVICE, "gpu benchmark")
    return phase


def _may_record(name):
    n = _recorded.get(name, 0)
    _recorded[name] = n + 1
    return n < _AT_MOST


def _open_phases():
    opened = getattr(_phase_of_thread, "opened", None)
    if opened is None:
        opened = _phase_of_thread.opened = []
    return opened


def _phase_begins(event):
    phase = _phase_named(event)
    if phase is None:
        return
    opened = _open_phases()
    told = all(phase != other for _, other, _ in opened)
    told = told and (phase[0] == _DEVICE or _may_record(phase[1]))
    opened.append((event, phase, told))
    if told:
        _begin(*phase)


def _phase_ends(event):
    """Ends a phase, and those inside of it that an exception left open."""
    if _phase_named(event) is None:
        return
    opened = _open_phases()
    if all(event != other for other, _, _ in opened):
        return
    while opened:
        other, phase, told = opened.pop()
        if told:
            _end(*phase)
        if other == event:
            return


def _log_start(real):
    def log_event_start(self, event_name, *args, **kwargs):
        try:
            _phase_begins(event_name)
        except Exception:
            pass
        return real(self, event_name, *args, **kwargs)

    return log_event_start


def _log_end(real):
    def log_event_end(self, event_name, *args, **kwargs):
        try:
            _phase_ends(event_name)
        except Exception:
            pass
        return real(self, event_name, *args, **kwargs)

    return log_event_end


# -- caches ---------------------------------------------------------------------------------------


def _cache_answered(event):
    """Takes in an event of either cache: the last answer is told, and all misses."""
    for prefix, key in (("fx_graph_cache_", "fx-cache"), ("autograd_cache_", "aot-cache")):
        if event.startswith(prefix):
            _cache_says(key, event[len(prefix):])


def _cache_says(key, answer):
    last, misses = _results.get(key, (None, 0))
    misses += answer == "miss"
    _results[key] = (answer, misses)
    if answer != last or misses & (misses - 1) == 0:
        _learn(key, answer, misses)


def _log_instant(real):
    def log_instant_event(self, event_name, *args, **kwargs):
        try:
            _cache_answered(event_name)
        except Exception:
            pass
        return real(self, event_name, *args, **kwargs)

    return log_instant_event


@patches("torch._dynamo.utils")
def _dynamo_utils(module):
    _replace(module, "ChromiumEventLogger.log_event_start", _log_start)
    _replace(module, "ChromiumEventLogger.log_event_end", _log_end)
    _replace(module, "ChromiumEventLogger.log_instant_event", _log_instant)


# -- graphs ---------------------------------------------------------------------------------------


def _target_text(node):
    """Returns what a node calls, alike on all ranks: no addresses, no arguments."""
    target = node.target
    if isinstance(target, str):
        return target
    name = getattr(target, "__name__", None)
    if hasattr(target, "overloadpacket") or not isinstance(name, str):
        return str(target).split(" at 0x")[0]
    return "%s.%s" % (getattr(target, "__module__", ""), name)


def _is_collective(text):
    return ("c10d_functional" in text or "torch.distributed" in text) and "wait_tensor" not in text


class _GraphIdentity:
    """Carries a checksum on over the ops of a graph, and of those that it calls."""

    def __init__(self):
        self.hash = 0
        self.nodes = 0
        self.collectives = 0

    def take(self, gm, depth=0):
        for node in gm.graph.nodes:
            if node.op in ("placeholder", "output"):
                continue
            self.nodes += 1
            text = _target_text(node)
            self.collectives += _is_collective(text)
            self.hash = _inquest.checksum("%s %s\n" % (node.op, text), self.hash)
            inner = getattr(gm, text, None) if node.op == "get_attr" and depth < 8 else None
            if hasattr(inner, "graph"):
                self.take(inner, depth + 1)

    def text(self):
        return "%08x %d nodes %d collectives" % (self.hash, self.nodes, self.collectives)


def _compile_id(output_graph):
    found = getattr(output_graph, "dynamo_compile_id", None)
    if found is None:
        found = sys.modules["torch._guards"].CompileContext.current_compile_id()
    return str(found)


def _call_compiler(real):
    def call_user_compiler(self, gm, *args, **kwargs):
        name = detail = None
        try:
            identity = _GraphIdentity()
            identity.take(gm)
            name, detail = "graph " + _compile_id(self), identity.text()
        except Exception:
            pass
        if not name:
            return real(self, gm, *args, **kwargs)
        _begin(_COMPILE, name, detail)
        try:
            return real(self, gm, *args, **kwargs)
        finally:
            _end(_COMPILE, name)

    return call_user_compiler


@patches("torch._dynamo.output_graph")
def _output_graph(module):
    _replace(module, "OutputGraph.call_user_compiler", _call_compiler)


def _tell_breaks():
    """Tells how many graph breaks there were so far, and why the last one, if these grew."""
    utils = sys.modules.get("torch._dynamo.utils")
    n = sum((utils.counters.get("graph_break") or {}).values())
    if n <= _results.get("graph-breaks", 0):
        return
    _results["graph-breaks"] = n
    reasons = getattr(utils, "graph_break_reasons", None) or []
    reason = getattr(reasons[-1], "reason", None) if reasons else None
    _learn("graph-breaks", str(reason).strip().split("\n")[0][:120] if reason else None, n)


# -- the pool of compile workers ------------------------------------------------------------------


def _pool_died(args, kwargs):
    status = _argument(args, kwargs, 1, "returncode")
    _inquest.note("the pool of compile workers died: status %s" % status)


@patches("torch._inductor.compile_worker.subproc_pool")
def _subproc_pool(module):
    if hasattr(getattr(module, "SubprocPool", None), "_on_sidecar_death"):  # older: unnoticed
        _replace(module, "SubprocPool._on_sidecar_death", _after(_pool_died))
