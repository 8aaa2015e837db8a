# SPDX-License-Identifier: Apache-2.0
"""
told.py: plays job.py with the probe, deed by deed, and compares what its ring then holds, in
order, with what must be there; and in versions of the fake packages where names have moved.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

here = os.path.join(os.environ["srcdir"], "tests/shim")
probe = os.path.join(os.environ["top_builddir"], ".libs/libinquest-probe.so")
inquest = os.environ["INQUEST"]
NO_NUMBER = 2**64 - 1
ELSEWHERE = ("python", "gpus", "rss-peak")  # traits that differ from machine to machine

JAX_WAITS = """
        call jax_barrier, over jax_barrier
        call jax_barrier_of_some, over jax_barrier_of_some
        call jax_get, over jax_get
        call jax_barrier, over jax_barrier
        """
JAX_COMPILES = """
        trait cache = WHAT
        begin compile jax lower, end compile jax lower
        begin compile xla compile [jit(step)]
        trait jax-cache = hit 0
        end compile xla compile [jit(step)]
        begin compile xla compile [jit(step)], end compile xla compile [jit(step)]
        begin compile xla compile, end compile xla compile
        step 1, step 2
        """

SEEN = {
    "join": """
        trait group-desc:0 = default_pg
        trait rank-source = process group 3
        trait framework = torch 9.8.7+fake
        trait world = 8
        trait backend = gloo
        trait timeout = 77000000000
        trait async-error = default
        trait group-desc:5 = mesh_tp
        trait group-made:x = 0-1
        """,
    "join nccl": """
        trait framework = torch 9.8.7+fake
        trait group-desc:0 = default_pg
        trait world = 8
        trait backend = nccl
        trait timeout = 0
        trait async-error = 1
        trait blocking-wait = 1
        trait heartbeat = environment 900000000000
        """,
    "handle": """
        note handling: KeyError: 'first', trait handling-at = shim/job.py:N in leave
        note handling: KeyError: 'second', trait handling-at = shim/job.py:N in leave
        note handling: KeyError: 'second'
        trait handling-at = shim/job.py:N in leave < shim/job.py:N in handle
        """,
    "spawned": """
        note exception: ZeroDivisionError: integer division or modulo by zero
        trait exception-at = shim/job.py:N in train
        """,
    "steps": "step 1, step 2, step 3",
    "load": """
        begin input Ids, end input Ids, shard Ids 0: 4 rows, 512 elements, shape 4 128
        begin input Ids, end input Ids, shard Ids 1: 2 rows, 128 elements, shape 2 64
        begin input Ids, trait input-end = Ids 2, end input Ids
        begin input Ids#2, end input Ids#2, shard Ids#2 0: 0 rows, 0 elements, shape 0 16
        begin input Ids#2, trait input-end = Ids#2 1, end input Ids#2
        begin input Words, end input Words, shard Words 0: 3 rows, 3 elements
        begin input Words, end input Words, shard Words 1: 0 rows, 0 elements
        begin input Words, end input Words, shard Words 2: 2 rows, 2 elements
        begin input Words, end input Words, shard Words 3: 1 rows, 1 elements
        begin input Words, end input Words, shard Words 4: 1 rows, 1 elements
        begin input Words, trait input-end = Words 5, end input Words
        begin input Ids, end input Ids, shard Ids 0: 4 rows, 512 elements, shape 4 128
        begin input Ids, end input Ids, shard Ids 1: 2 rows, 128 elements, shape 2 64
        begin input Ids, trait input-end = Ids 2, end input Ids
        """,
    "compile_it": """
        begin compile dynamo
        trait cache = CACHE 3
        trait cache-bytes = 600
        end compile dynamo
        begin compile dynamo
        begin compile graph 3/1 [5808f02c 2 nodes 1 collectives]
        end compile graph 3/1 [5808f02c 2 nodes 1 collectives]
        begin compile inductor codegen
        begin compile backend compile, end compile backend compile
        begin compile backend compile, end compile backend compile
        begin compile backend compile, end compile backend compile
        begin compile backend compile, end compile backend compile
        begin device gpu benchmark, end device gpu benchmark
        end compile inductor codegen
        trait fx-cache = miss 1
        trait fx-cache = hit 1
        begin compile graph 3/1 [dc8a7fa8 1 nodes 0 collectives]
        end compile graph 3/1 [dc8a7fa8 1 nodes 0 collectives]
        end compile dynamo
        trait graph-breaks = 2
        begin compile dynamo
        """,
    "save": """
        begin checkpoint save [a.pt], end checkpoint save [a.pt]
        begin checkpoint save [b.pt], end checkpoint save [b.pt]
        begin checkpoint save, end checkpoint save
        begin checkpoint load [a.pt], end checkpoint load [a.pt]
        begin checkpoint save [c.pt], end checkpoint save [c.pt]
        begin checkpoint save [ck/7], end checkpoint save [ck/7]
        begin checkpoint save [d.safetensors], end checkpoint save [d.safetensors]
        """,
    "shape": """
        step 1
        trait mode = ddp
        trait mode = ddp+fsdp2
        trait mode = ddp+fsdp2+tp
        trait mode = ddp+fsdp2+pp+tp
        trait join = 1
        trait join = 0
        trait unseen-ops = symmetric memory
        trait unseen-ops = NVSHMEM+symmetric memory
        trait unseen-ops = DeepEP+NVSHMEM+symmetric memory
        """,
    "lock": """
        begin compile compile lock, end compile compile lock
        begin compile compile lock, end compile compile lock
        begin compile compile lock, end compile compile lock
        begin compile extension build, end compile extension build
        """,
    "kernels": """
        begin compile triton compile, end compile triton compile
        begin device gpu benchmark, end device gpu benchmark
        """,
    "jax_joins given": """
        trait rank-source = jax.distributed 5
        trait framework = jax 0.0.1
        note connects
        trait met = jax.distributed
        """ + JAX_WAITS + JAX_COMPILES.replace("WHAT", "none"),
    "jax_joins found": """
        trait rank-source = jax.distributed 5
        trait framework = jax 0.0.1
        note connects
        trait met = jax.distributed
        """ + JAX_WAITS + JAX_COMPILES.replace("WHAT", "CACHE 3, trait cache-bytes = 600"),
    "peak ready": "step 1, trait memory-allocated = 5000, trait memory-reserved = 7000",
    "peak waits": "step 1, trait memory-allocated = 5000, trait memory-reserved = 7000",
    "peak old": "step 1, trait memory-allocated = 5000, trait memory-reserved = 7000",
    "peak unmade": "step 1",
    "peak driver's": "step 1",
    "peak held": "step 1",
    "peak raises": "step 1",
    "peak gone": "step 1",
    "worker_pool": "note the pool of compile workers died: status -9",
}

ENVIRONMENT = {"join nccl": {"RANK": "5", "WORLD_SIZE": "8", "TORCH_NCCL_BLOCKING_WAIT": "1",
                             "TORCH_NCCL_ASYNC_ERROR_HANDLING": "1",
                             "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC": "900"}}
ENVIRONMENT["jax_joins given"] = {"JAX_ASKS": "(6, 5)"}
ENVIRONMENT["jax_joins found"] = {"JAX_KEEPS": "CACHE"}
ENVIRONMENT.update({name: {"PEAK": name[5:]} for name in SEEN if name.startswith("peak ")})


def fail(what):
    print("FAIL:", what)
    sys.exit(1)


def told(record):
    """A record of a lane in words; None where it is of no interest here."""
    kind = record["type"]
    if kind in ("SPAN_BEGIN", "SPAN_END"):
        detail = " [%s]" % record["detail"] if record.get("detail") else ""
        return "%s %s %s%s" % (kind[5:].lower(), record["kind"], record["name"], detail)
    if kind == "SHARD":
        return "shard %s %d: %d rows, %d elements" % (
            record["loader"], record["index"], record["rows"], record["elements"])
    if kind == "SHAPE":
        dims = [record["dim%d" % n] for n in range(record["ndim"])]
        return "shape " + " ".join(map(str, dims))
    if kind in ("CALL_ENTER", "CALL_EXIT") and record["call"].startswith("jax_"):
        return " ".join(["call" if kind == "CALL_ENTER" else "over", record["call"]])
    if kind == "STEP":
        return "step %d" % record["step"]
    if kind == "NOTE":
        return "note " + record["text"]
    if kind == "TRAIT" and record["key"] not in ELSEWHERE:
        said = [re.sub(r"py:\d+", "py:N", record["text"])] if record["text"] else []
        said += [] if record["number"] == NO_NUMBER else [str(record["number"])]
        return "trait %s = %s" % (record["key"], " ".join(said))
    return None


def played(python, fakes, deed, scratch, environment):
    """What the ring holds of one deed, as lines; fails where the program saw any of it."""
    job = os.path.join(scratch, "inquest/job")
    os.makedirs(job, 0o700)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("TORCH", "RANK", "WORLD_"))}
    env.update(INQUEST_DIR=os.path.dirname(job), INQUEST_JOB_DIR=job, HOME=scratch,
               TORCHINDUCTOR_CACHE_DIR=os.path.join(scratch, "cache"))
    env.update(environment)
    program = [python, os.path.join(here, "job.py"), fakes, deed]
    bare = subprocess.run(program, env=env, capture_output=True, text=True)
    if (bare.returncode, bare.stdout) != (3, "as without\n"):
        fail("%s without the probe: %s%s" % (deed, bare.stdout, bare.stderr))
    try:
        ran = subprocess.run(program, env=dict(env, LD_PRELOAD=probe), capture_output=True,
                             text=True, timeout=120)
    except subprocess.TimeoutExpired:
        fail("%s, %s: it does not end" % (deed, environment))
    if (ran.returncode, ran.stdout, ran.stderr) != (3, "as without\n", bare.stderr):
        fail("%s: status %d, %s%s" % (deed, ran.returncode, ran.stdout, ran.stderr))
    lines = []
    for name in sorted(os.listdir(job)):
        if name.endswith(".ring"):
            shown = subprocess.run([inquest, "ring", "--json", os.path.join(job, name)],
                                   stdout=subprocess.PIPE, check=True)
            for record in json.loads(shown.stdout)["lanes"][0]["records"]:
                lines += [told(record)] if told(record) else []
    return lines


def make_fakes(folder, *words):
    os.mkdir(folder)
    subprocess.run([sys.executable, os.path.join(here, "fakes.py"), folder, *words], check=True)
    return folder


def fill_cache(scratch):
    folder = os.path.join(scratch, "cache/fxgraph/ab")
    os.makedirs(folder)
    for n, path in enumerate((folder, folder + "/..", folder + "/../..")):
        with open(os.path.join(path, "f"), "wb") as file:
            file.write(bytes(100 * (n + 1)))


def compare(what, wanted, lines, cache):
    wanted = wanted.replace("CACHE", cache)
    wanted = [w.strip() for line in wanted.split("\n") for w in line.replace(
        "rows, ", "rows; ").split(",") if w.strip()]
    wanted = [w.replace("rows; ", "rows, ") for w in wanted]
    if wanted != lines:
        differ = [n for n, pair in enumerate(zip(wanted, lines)) if pair[0] != pair[1]]
        at = differ[0] if differ else min(len(wanted), len(lines))
        fail("%s: after %d right: %s, not %s" % (what, at, lines[at:at + 3], wanted[at:at + 3]))


def main(python):
    with tempfile.TemporaryDirectory() as scratch:
        def fresh(name):
            folder = os.path.join(scratch, name.replace(" ", "-"))
            os.mkdir(folder)
            fill_cache(folder)
            return folder

        fakes = make_fakes(os.path.join(scratch, "fakes"))
        for name, wanted in SEEN.items():
            folder = fresh(name)
            cache = os.path.join(folder, "cache")
            asks = {k: v.replace("CACHE", cache) for k, v in ENVIRONMENT.get(name, {}).items()}
            compare(name, wanted, played(python, fakes, name.split()[0], folder, asks), cache)
        for version, wanted in (("old", "step 5"), ("moved", "and 32 more"), ("hostile", "more")):
            fakes = make_fakes(os.path.join(scratch, "fakes-" + version), version)
            lines = played(python, fakes, "look", fresh(version), {})
            if not lines or not lines[-1].startswith(("step", "trait missing")) or \
                    wanted not in lines[-1]:
                fail("%s: %s" % (version, lines[-1:]))
            print("%s: %s" % (version, lines[-1]))


if __name__ == "__main__":
    for each in sys.argv[1:] or [sys.executable]:
        main(each)
