# SPDX-License-Identifier: Apache-2.0
#
# Shards: what each DataLoader gives this rank. The wait for a batch is an INPUT span, the batch a
# shard with the shape of its first tensor, the end of a pass the trait "input-end" (the loader's
# name, and how many batches the pass had). Only shapes are looked at, never data.
#
# A loader is named after the class of its dataset, so that ranks name the same one alike; a second
# one of that class that lives at the same time is "Name#2". The index of a batch starts again with
# each pass; how many were given in all, the ring counts itself.

_LOADERS_OF_A_CLASS = 4  # more share the last name: the ring has few places for loaders
_DEPTH = 4
_BREADTH = 8

_loader_names = _OfObject()
_array_classes = set()  # the two that were met


def _free_name(dataset):
    """Returns the first name of this class that no living loader has."""
    base = type(dataset).__name__
    taken = _loader_names.values()
    for n in range(1, _LOADERS_OF_A_CLASS + 1):
        name = base if n == 1 else "%s#%d" % (base, n)
        if name not in taken:
            break
    return name


def _name_loader(args, kwargs):
    loader = args[0]
    name = _loader_names.of(loader)
    if name[0] is None:
        name[0] = _free_name(loader.dataset)


def _is_array(x):
    """True for a tensor or numpy array: to ask others for a shape would run anybody's code."""
    for cls in type(x).__mro__:
        if cls.__name__ in ("Tensor", "ndarray") and cls.__module__ in ("torch", "numpy"):
            _array_classes.add(cls)
            return True
    return False


def _items(x):
    """Returns what a batch may hold its tensors in, without calling any code of its class."""
    if isinstance(x, dict):
        return x.values()
    if isinstance(x, (list, tuple)):
        return x
    inside = getattr(x, "__dict__", None)
    return inside.values() if type(inside) is dict else ()


def _find_array(x, depth=_DEPTH):
    if type(x) in _array_classes or _is_array(x):
        return x
    if depth and not isinstance(x, (str, bytes, int, float)):
        for n, item in enumerate(_items(x)):
            found = _find_array(item, depth - 1) if n < _BREADTH else None
            if found is not None:
                return found
    return None


def _size(x):
    """Returns rows, elements, dims of a batch."""
    array = _find_array(x)
    if array is None:
        columns = [c for c in x.values() if isinstance(c, (list, tuple))] if type(x) is dict else []
        column = columns[0] if columns else x
        rows = len(column) if isinstance(column, (list, tuple, dict)) else 1
        return rows, rows, ()
    dims = tuple(map(int, array.shape))
    elements = 1
    for d in dims:
        elements *= d
    return dims[0] if dims else 1, elements, dims[:8]


def _batch(name, iterator, batch):
    rows, elements, dims = _size(batch)
    index = getattr(iterator, "_num_yielded", 1) - 1
    _inquest.shard(name, index, rows, elements, dims)


def _end_pass(name, iterator):
    try:
        _trait("input-end", name, iterator._num_yielded)
    except Exception:
        pass


def _next(real):
    def __next__(self):
        name = getattr(self, "_inquest_loader", "DataLoader")
        _begin(_INPUT, name)
        try:
            batch = real(self)
        except StopIteration:
            _end_pass(name, self)
            raise
        finally:
            _end(_INPUT, name)
        try:
            _batch(name, self, batch)
        except Exception:
            pass
        return batch

    return __next__


def _begin_pass(args, kwargs):
    """Tells an iterator the name of its loader, which it does not keep."""
    iterator, loader = args[0], _argument(args, kwargs, 1, "loader")
    _announce()
    iterator._inquest_loader = _loader_names.of(loader)[0] or "DataLoader"


@patches("torch.utils.data.dataloader")
def _dataloader(module):
    _replace(module, "DataLoader.__init__", _after(_name_loader))
    _replace(module, "_BaseDataLoaderIter.__init__", _after(_begin_pass))
    _replace(module, "_BaseDataLoaderIter.__next__", _next)
