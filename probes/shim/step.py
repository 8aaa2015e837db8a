# SPDX-License-Identifier: Apache-2.0
#
# Steps: one is done when an optimizer's step() has returned. Where there are several optimizers,
# or one per layer, each counts for itself and the step is that of the one that did most: a step
# that only some of them take is counted once.

_steps_of = _OfObject()
_steps = 0


def _stepped(optimizer):
    global _steps
    count = _steps_of.of(optimizer, 0)
    n = count[0] = count[0] + 1
    if n > _steps:
        _steps = n
        if not _announced:
            _announce()
        _inquest.step(n)


def _hook_for(torch):
    # Where step() is called in a compiled function, Dynamo leaves the frame that calls this to
    # Python and compiles those below it, which hold the work: the step is seen, and the graphs are
    # the same. A compiler that traces a step for itself (export) has not made one.
    def inquest_step(optimizer, args, kwargs):
        if torch.compiler.is_compiling():
            return
        try:
            _stepped(optimizer)
        except Exception:
            pass

    return inquest_step


def _count_steps_of_class(real):
    """For torch before 2.0, which has no hook for all optimizers: step() of each class, once."""

    def patched(self, *args, **kwargs):
        result = real(self, *args, **kwargs)
        try:
            cls = type(self)
            if not hasattr(cls.step, "inquest_counts"):
                told = _after(lambda args, kwargs: _stepped(args[0]))(cls.step)
                cls.step = _look_like(told, cls.step)
                cls.step.inquest_counts = True
        except Exception:
            pass
        return result

    return patched


@patches("torch.optim.optimizer")
def _optimizer(module):
    register = getattr(module, "register_optimizer_step_post_hook", None)
    if register is None:
        optimizer = getattr(module, "Optimizer", None)
        name = "_patch_step_function"
        if not hasattr(optimizer, name):
            name = "_hook_for_profile"
        _replace(module, "Optimizer." + name, _count_steps_of_class)
        return
    register(_hook_for(module.torch))
