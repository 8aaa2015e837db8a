# SPDX-License-Identifier: Apache-2.0
#
# Libraries by whose kernels GPUs speak to each other past NCCL: their operations are recorded by
# nobody, and a rank that stands in one looks like a rank that waits for its own GPU. That a process
# has begun to use one is told, so that what is not seen is not taken for what is not there.
_unseen = []


def _by(name):
    """For _replace(): what is called here communicates by that library."""

    def tell(args, kwargs):
        if name not in _unseen:
            _unseen.append(name)
            _unseen.sort()
            _learn("unseen-ops", "+".join(_unseen))

    return _after(tell)


@patches("torch.distributed._symmetric_memory")
def _symmetric_memory(module):
    # Operations of torch that make their own workspace do not ask by the first name.
    for name in ("rendezvous", "get_symm_mem_workspace"):
        if hasattr(module, name):
            _replace(module, name, _by("symmetric memory"))


@patches("nvshmem.core.init_fini")
def _nvshmem(module):
    _replace(module, "init", _by("NVSHMEM"))


@patches("deep_ep.buffer")
def _deep_ep(module):
    _replace(module, "Buffer.__init__", _by("DeepEP"))


@patches("vllm.distributed.device_communicators.custom_all_reduce")
def _vllm(module):
    _replace(module, "CustomAllreduce.__init__", _by("vLLM's all-reduce"))
