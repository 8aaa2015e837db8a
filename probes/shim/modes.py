# SPDX-License-Identifier: Apache-2.0
#
# What kind of job this is: framework, Python, GPUs, and how the model is distributed.
#
# A trait makes a ring for this process, and a rank's compile workers import torch as well: what is
# learnt is kept until this process has something to tell as a rank (_announce()).
_learnt = {}
_announced = False
_modes = []


def _learn(key, text=None, number=None):
    if _announced:
        _trait(key, text, number)
    else:
        _learnt[key] = (text, number)


def _gpus():
    """Counts the devices that this process may open: to ask CUDA itself could make a context."""
    try:
        here = [name for name in os.listdir("/dev") if name[:6] == "nvidia" and name[6:].isdigit()]
    except OSError:
        return
    _learn("gpus", os.environ.get("CUDA_VISIBLE_DEVICES"), len(here))


def _announce():
    """Tells what was learnt, once this process takes part in the job. Cheap to call again."""
    global _announced
    if _announced:
        return
    _announced = True
    try:
        _learn("python", "%d.%d.%d" % sys.version_info[:3])
        _gpus()
        error_file = os.environ.get("TORCHELASTIC_ERROR_FILE")
        if error_file:
            _learn("error-file", error_file)
        for key in list(_learnt):
            _trait(key, *_learnt.pop(key))
        _tell_memory_at_exit()
    except Exception:
        missing("traits of the process")


def _mode(name):
    """Notes that the model is distributed in this way, too."""
    if name not in _modes:
        _modes.append(name)
        _modes.sort()
        _learn("mode", "+".join(_modes))


def _made(name):
    """For _replace(): what is called here distributes a model in this way."""
    return _after(lambda args, kwargs: _mode(name))


@patches("torch.version")
def _torch_version(module):
    _learn("framework", "torch " + str(want(module, "__version__")))


@patches("torch.nn.parallel.distributed")
def _ddp(module):
    _replace(module, "DistributedDataParallel.__init__", _made("ddp"))


@patches("torch.distributed.fsdp.fully_sharded_data_parallel")
def _fsdp1(module):
    _replace(module, "FullyShardedDataParallel.__init__", _made("fsdp1"))


@patches("torch.distributed.fsdp._fully_shard._fully_shard")
def _fsdp2(module):
    _replace(module, "fully_shard", _made("fsdp2"))


@patches("torch.distributed._composable.fsdp.fully_shard")
def _fsdp2_before_2_6(module):
    # Later this is the same function under its old name, or a module without it.
    function = getattr(module, "fully_shard", None)
    if function is not None and not hasattr(function, "__wrapped__"):
        _replace(module, "fully_shard", _made("fsdp2"))


@patches("torch.distributed.tensor.parallel.api")
def _tp(module):
    _replace(module, "parallelize_module", _made("tp"))


@patches("torch.distributed.pipelining.schedules")
def _pp(module):
    _replace(module, "_PipelineSchedule.__init__", _made("pp"))


@patches("deepspeed.runtime.engine")
def _deepspeed(module):
    _replace(module, "DeepSpeedEngine.__init__", _made("deepspeed"))


@patches("accelerate.accelerator")
def _accelerate(module):
    _replace(module, "Accelerator.__init__", _made("accelerate"))


@patches("lightning.pytorch.trainer.trainer")
def _lightning(module):
    _replace(module, "Trainer.__init__", _made("lightning"))


@patches("pytorch_lightning.trainer.trainer")
def _lightning_of_old(module):
    _lightning(module)


@patches("megatron.core.parallel_state")
def _megatron(module):
    _replace(module, "initialize_model_parallel", _made("megatron"))


@patches("torch.distributed.algorithms.join")
def _join(module):
    # Inside of it an early end is legal: the others' collectives are shadowed.
    _replace(module, "Join.__enter__", _after(lambda args, kwargs: _trait("join", None, 1)))
    _replace(module, "Join.__exit__", _after(lambda args, kwargs: _trait("join", None, 0)))
