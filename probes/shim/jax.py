# SPDX-License-Identifier: Apache-2.0
#
# JAX: its version, who this process is, and the compiles of XLA.


@patches("jax.version")
def _jax_version(module):
    _learn("framework", "jax " + str(want(module, "__version__")))


@patches("jax._src.compiler")
def _jax_compiler(module):
    _replace_any(module, ("compile_or_get_cached", "backend_compile"), _announced_compile)


def _announced_compile(real):
    spanned = _span(_COMPILE, "xla compile")(real)

    def compiled(*args, **kwargs):
        _announce()
        return spanned(*args, **kwargs)

    return compiled


def _jax_joins(args, kwargs):
    state = args[0]
    _inquest.identify(state.process_id, state.num_processes, "jax.distributed")
    _announce()


@patches("jax._src.distributed")
def _jax_distributed(module):
    _replace(module, "State.initialize", _after(_jax_joins))
