# SPDX-License-Identifier: Apache-2.0
#
# Triton kernels that a program or inductor compiles, and benchmarks, in this process. Triton's
# hooks are slots with room for one, and a truthy answer in one cancels the compile: they are left
# to the program. What is told is told around the functions that compile.


def _triton_compiles(real):
    # Inside of inductor's compile these are counted as its phases are: a thousand are no news.
    spanned = _span(_COMPILE, "triton compile")(real)

    def compiled(*args, **kwargs):
        try:
            told = _bracket is None or _may_record("triton compile")
        except Exception:
            told = False
        return (spanned if told else real)(*args, **kwargs)

    return compiled


@patches("triton.compiler.compiler")
def _triton_compiler(module):
    _replace(module, "compile", _triton_compiles)


@patches("triton.runtime.autotuner")
def _triton_autotuner(module):
    _replace(module, "Autotuner._bench", _span(_DEVICE, "gpu benchmark"))
