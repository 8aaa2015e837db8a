# SPDX-License-Identifier: Apache-2.0
#
# Who this process is, and which process groups it makes: rank and world size at
# init_process_group(), name, ranks, backend and timeout of each group while it is made. The ops are
# not told here: Dynamo knows the collectives by identity, so no wrapper may stand before them.

_DESCRIBED = 16  # groups whose description is told: of some jobs there are hundreds
_LISTED = 400  # the longest list of ranks that is told of a group of others

_default_group = {}  # what is known of it while it is made
_described = set()
_witnessed = set()
_rank = None  # in the world, once it is known


def _ranks_text(ranks):
    """Returns world ranks by seat as text: [0, 1, 2, 3, 8] is 0-3,8."""
    runs = []
    for rank in ranks:
        if runs and rank == runs[-1][1] + 1:
            runs[-1][1] = rank
        else:
            runs.append([rank, rank])
    return ",".join("%d" % a if a == b else "%d-%d" % (a, b) for a, b in runs)


def _timeout_ns(timeout):
    """Returns a timedelta in ns; 0 for none."""
    return int(timeout.total_seconds() * 1e9) if timeout is not None else 0


def _limits(backend):
    """Tells when NCCL's watchdog in torch ends a process, as far as the environment says it."""
    _learn("async-error", os.environ.get("TORCH_NCCL_ASYNC_ERROR_HANDLING", "default"))
    for name, key in (("TORCH_NCCL_BLOCKING_WAIT", "blocking-wait"),
                      ("TORCH_NCCL_DUMP_ON_TIMEOUT", "dump-on-timeout")):
        if name in os.environ:
            _learn(key, os.environ[name])
    if "nccl" not in backend and backend != "undefined":
        return
    if os.environ.get("TORCH_NCCL_ENABLE_MONITORING", "1").lower() in ("0", "false", "no", "n"):
        _learn("heartbeat", "off")
        return
    said = _number(os.environ.get("TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC"))
    _learn("heartbeat", "default" if said is None else "environment",
           (480 if said is None else said) * 1000000000)


def _identify(module, args, kwargs):
    """Tells who this is by the arguments, else the environment, before anybody is waited for."""
    global _rank
    world = _argument(args, kwargs, 3, "world_size")
    rank = _argument(args, kwargs, 4, "rank")
    if rank is None or rank < 0:
        rank = _number(os.environ.get("RANK"))
    if world is None or world < 0:
        world = _number(os.environ.get("WORLD_SIZE"))
    if rank is not None and world is not None and 0 <= rank < world:
        _rank = rank
        _inquest.identify(rank, world, "process group")
        _announce()


def _identified(module):
    """Tells who this is by the group itself. A backend in it tells that this rank is through."""
    global _rank
    if module.is_initialized():
        _rank = module.get_rank()
        _inquest.identify(_rank, module.get_world_size(), "process group")
        _announce()
        backend = _default_group.get("backend", "undefined")
        _learn("world", None, module.get_world_size())
        _learn("backend", backend)
        _learn("timeout", None, _default_group.get("timeout"))
        _limits(backend)


def _initialising(module, real):
    def init_process_group(*args, **kwargs):
        try:
            _identify(module, args, kwargs)
        except Exception:
            pass
        result = real(*args, **kwargs)
        try:
            _identified(module)
        except Exception:
            pass
        return result

    return init_process_group


def _describe(name, text):
    """Tells what the program calls a group."""
    if name and text and text != "undefined" and len(_described) < _DESCRIBED:
        _described.add(name)
        _trait("group-desc:" + name, str(text))


def _witness(name, ranks):
    """Tells of a group without this rank whom others would find in it by this rank's order."""
    rank = _number(os.environ.get("RANK")) if _rank is None else _rank
    if rank is None or rank in ranks or not name or len(_witnessed) >= _DESCRIBED:
        return
    text = _ranks_text(ranks)
    if name not in _witnessed and len(text) <= _LISTED:
        _witnessed.add(name)
        _trait("group-made:" + name, text)


def _scope(real, args, kwargs):
    """Describes the group that the call will make."""
    bound = _Library("inspect").signature(real).bind(*args, **kwargs).arguments
    name = bound.get("group_name") or ""
    backend = str(bound.get("backend") or "undefined").lower()
    timeout = _timeout_ns(bound.get("timeout"))
    ranks = bound.get("global_ranks_in_group")
    if not ranks:
        ranks = range(bound.get("group_size") or bound.get("world_size") or 0)
        _default_group.update(backend=backend, timeout=timeout)
    _describe(str(name), bound.get("group_desc"))
    _witness(str(name), ranks)
    _inquest.group(str(name), _ranks_text(ranks), timeout)


def _making(real):
    def _new_process_group_helper(*args, **kwargs):
        try:
            _scope(real, args, kwargs)
        except Exception:
            pass
        try:
            return real(*args, **kwargs)
        finally:
            _inquest.group(None)

    return _new_process_group_helper


def _leave(module, args, kwargs):
    """Tells that the program destroys a group, or all; others may hold the object for long."""
    group = _argument(args, kwargs, 0, "group")
    if group is None or group is module.GroupMember.WORLD:
        _inquest.left(None)
    elif getattr(group, "group_name", None):
        _inquest.left(str(group.group_name))


def _leaving(module, real):
    def destroy_process_group(*args, **kwargs):
        try:
            _leave(module, args, kwargs)
        except Exception:
            pass
        return real(*args, **kwargs)

    return destroy_process_group


_HANDLED = 32  # exceptions that are told of: some programs live on in a handler

_handled = []  # which those were, without keeping them


def _asking(real):
    # Each collective of torch.distributed asks this function first. Whoever comes to one while an
    # exception is handled, or on its way out, may meet others there who know of none.

    def _rank_not_in_group(*args, **kwargs):
        try:
            kind, value, traceback = sys.exc_info()
            if value is not None and len(_handled) < _HANDLED:
                this = id(value), id(traceback)
                if this not in _handled[-1:]:
                    _handled.append(this)
                    _inquest.handling(kind, value, traceback)
        except Exception:
            pass
        return real(*args, **kwargs)

    return _rank_not_in_group


def _fail(token, result, exception):
    """Tells what torch.multiprocessing.spawn hands on to its parent, and the rank never says."""
    if isinstance(exception, Exception):
        _inquest.exception(type(exception), exception, exception.__traceback__)


@patches("torch.multiprocessing.spawn")
def _spawned(module):
    def hearing(real):
        def _wrap(fn, *args, **kwargs):
            return real(_inquest.around(fn, None, _fail), *args, **kwargs)

        return _wrap

    _replace(module, "_wrap", hearing)


@patches("torch.distributed.distributed_c10d")
def _c10d(module):
    _replace(module, "_rank_not_in_group", _asking)
    _replace(module, "init_process_group", lambda real: _initialising(module, real))
    _replace(module, "_new_process_group_helper", _making)
    _replace(module, "destroy_process_group", lambda real: _leaving(module, real))
