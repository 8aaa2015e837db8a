# SPDX-License-Identifier: Apache-2.0
#
# Saving and loading of state: a CHECKPOINT span with the path, where the target is one. A
# checkpoint that is made of many smaller ones is one span; what goes to memory is none.
_io = _Library("io")
_checkpoint_depth = _Local()


def _checkpoint_path(target):
    """Returns whether a checkpoint with this target is told of, and its path if it is known."""
    try:
        told = not isinstance(target, _io.BytesIO) and not getattr(_checkpoint_depth, "n", 0)
        return told, _path_text(target) if told else None
    except Exception:
        return True, None


def _path_text(target):
    if isinstance(target, str):
        return target
    if isinstance(target, os.PathLike):
        return str(os.fspath(target))
    name = getattr(target, "name", None)
    return name if isinstance(name, str) else None


def _checkpoint(name, at, keyword):
    """For _replace(): the call saves or loads; its target is this argument."""

    def make(real):
        def checkpointed(*args, **kwargs):
            told, path = _checkpoint_path(_argument(args, kwargs, at, keyword))
            if not told:
                return real(*args, **kwargs)
            _checkpoint_depth.n = 1
            _begin(_CHECKPOINT, name, path)
            try:
                return real(*args, **kwargs)
            finally:
                _end(_CHECKPOINT, name)
                _checkpoint_depth.n = 0

        return checkpointed

    return make


@patches("torch.serialization")
def _serialization(module):
    _replace(module, "save", _checkpoint("save", 1, "f"))
    _replace(module, "load", _checkpoint("load", 0, "f"))


@patches("torch.distributed.checkpoint.state_dict_saver")
def _dcp_saver(module):
    _replace_any(module, ("save", "save_state_dict"), _checkpoint("save", 9, "checkpoint_id"))
    if hasattr(module, "async_save"):
        _replace(module, "async_save", _checkpoint("save", 9, "checkpoint_id"))


@patches("torch.distributed.checkpoint.state_dict_loader")
def _dcp_loader(module):
    _replace_any(module, ("load", "load_state_dict"), _checkpoint("load", 9, "checkpoint_id"))


@patches("safetensors.torch")
def _safetensors(module):
    _replace(module, "save_file", _checkpoint("save", 1, "filename"))
    _replace(module, "load_file", _checkpoint("load", 0, "filename"))
