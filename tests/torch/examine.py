# SPDX-License-Identifier: Apache-2.0
"""
examine.py [--bare] [--gpu] [--ddp] [--unprobed] SCENARIO[@RANKS]...: plays jobs of PyTorch, each
with a real mishap in a drawn rank, and examines them as tests/scenarios/examine.py does the demo's.

Each is started as anybody would, inquest run -- torchrun --nproc_per_node=8 JOB.py, or by another
launcher (launchers.py); nothing in the job knows of inquest. A few are started without it, as most
jobs are (a scenario that is not `probed`), and of those inquest attach is told the process of a
rank that only waits. PyTorch comes from the environment in $INQUEST_TORCH, else from the one that
`quickstart torch` makes. Of some more is asked (strict.py).
One line each, beginning with "|", is a row of check-torch's table.

--gpu has the ranks talk by NCCL and compute on one GPU (tests/gpu/torch.test).
--ddp spreads the model by DDP, for an older PyTorch, whose FSDP2 needs a GPU (2.6).
--unprobed starts all of them without us, and asks who attaches; he may say less (ways.py).
--bare runs the jobs without inquest for a while and shows what they say: does it really hang?

Exit 77: there is no PyTorch here.
"""

import hashlib
import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.environ["srcdir"], "tests/scenarios"))
import examine  # noqa: E402
from examine import (Play, Unplayable, Wrong, base_seed, descendants, inquest,  # noqa: E402
                     play_all, stat_of)

import launchers  # noqa: E402
import paces  # noqa: E402
import programs  # noqa: E402
import scenarios  # noqa: E402
import starts  # noqa: E402
from log import Log  # noqa: E402
from strict import Strictness, first_of  # noqa: E402
from ways import Unprobed, Ways  # noqa: E402

SCENARIOS = {**scenarios.SCENARIOS, **starts.SCENARIOS, **programs.SCENARIOS, **paces.SCENARIOS}

jobs = os.path.join(os.environ["srcdir"], "tests/torch/jobs")
torch = launchers.torch
caches = os.path.join(os.environ["top_builddir"], "tests/torch/caches")
one_gpu = os.path.join(os.environ["srcdir"], "tests/gpu/one-gpu.sh")
settings = {"layers": 2, "rounds": 1000, "backend": "gloo"}
WARM = ["healthy", "recompile", "branch", "no-rows"]  # with these everything is compiled once
COMPILERS = ("cc1plus", "g++", "c++", "gcc", "ld", "as", "collect2")
STARTING_S = 240  # eight imports of torch, on two busy cores
PATIENCE_S = 240  # after the job's last word: a start may take thrice what it usually takes


def environment():
    """What a job of these is started with; by what we were compiled is nothing to it."""
    own = {k: v for k, v in os.environ.items() if k not in ("CC", "CXX")}
    return dict(own, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")


def launch(folder, ranks, scenario):
    """The command line of a job."""
    command = scenario.launcher(folder, ranks, scenario.script)
    if settings["backend"] == "nccl":
        return command[:-1] + ["--no-python", one_gpu, launchers.python, "-u", scenario.script]
    return command


def write_job(folder, scenario, who, ranks, seed, warm):
    """Lays out the folder in which a job runs."""
    for name in os.listdir(jobs):
        if name != "__pycache__":
            shutil.copy(os.path.join(jobs, name), folder)
    asked = dict(settings, ranks=ranks, **scenario.settings)
    asked.update(scenario.prepare(folder, who, ranks, warm))
    with open(os.path.join(folder, "run.json"), "w") as file:
        json.dump(asked, file)
    scenario.write_data(folder, who, ranks, seed)


def play_once(scenario, **env):
    """One round on one rank, for what it leaves in caches."""
    folder = examine.tempfile.mkdtemp(prefix="warm")
    try:
        write_job(folder, scenario, -1, 1, 0, None)
        with open(os.path.join(folder, "run.json")) as file:
            asked = dict(json.load(file), rounds=1, reporters=[], cache=None)
        with open(os.path.join(folder, "run.json"), "w") as file:
            json.dump(asked, file)
        subprocess.run(launch(folder, 1, scenario), cwd=folder, check=True,
                       env=dict(environment(), **env), stdout=subprocess.DEVNULL)
    finally:
        shutil.rmtree(folder)


def made_once(name, make):
    """A folder of that name among the caches, which make(folder) fills where there is none yet."""
    cache = os.path.join(caches, name)
    os.makedirs(caches, exist_ok=True)
    with open(os.path.join(caches, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(cache):
            shutil.rmtree(cache + ".new", ignore_errors=True)
            make(cache + ".new")
            os.rename(cache + ".new", cache)
    return cache


def warm_up(cache):
    """Compiles, on one rank, what the jobs compile where nothing happens to them."""
    for name in WARM:
        play_once(SCENARIOS[name](), TORCHINDUCTOR_CACHE_DIR=cache)


def warm_cache():
    """A compile cache that has everything; made once for these jobs and this PyTorch."""
    digest = hashlib.sha256(f"{torch} {settings} {WARM}".encode())
    for name in sorted(os.listdir(jobs)):
        with open(os.path.join(jobs, name), "rb") as file:
            digest.update(file.read())
    return made_once(digest.hexdigest()[:12], warm_up)


class TorchPlay(Play):
    """A run of one of these jobs; all but its start, its truth and its deeds is as there."""

    bare = False

    def draw(self, seed):
        self.prepare()
        self.scenario = SCENARIOS[self.name]()
        if self.scenario.needs and not shutil.which(self.scenario.needs):
            raise Unplayable(f"no {self.scenario.needs} here; ./quickstart torch installs it")
        ranks = self.ranks or self.scenario.ranks
        self.who = self.scenario.draw_who(random.Random(f"{seed} {self.name}"), ranks)
        self.truth = {"scenario": self.name, "ranks": ranks, "culprits": [self.who],
                      "cause": None, "where": None, "outlook": None, "exit": 1, "look": "live"}
        self.truth.update(self.scenario.truth)
        if not self.truth["exit"]:
            self.truth["culprits"] = []
        self.truth["involved"] = self.truth["culprits"]
        self.deeds_at = None
        self.over = threading.Event()
        warm = warm_cache() if self.scenario.compiled else None
        write_job(self.folder, self.scenario, self.who, ranks, seed, warm)
        if warm:
            shutil.copytree(warm, self.env["TORCHINDUCTOR_CACHE_DIR"])

    def prepare(self):
        self.env = dict(environment(), INQUEST_DIR=os.path.join(self.folder, "jobs"),
                        TORCHINDUCTOR_CACHE_DIR=os.path.join(self.folder, "compiled"))
        os.mkdir(self.env["INQUEST_DIR"], 0o700)

    # --- What a deed may ask for ---

    def probed(self):
        """Whether the job is started under inquest."""
        return self.scenario.probed and not self.bare

    def rank_process(self, rank=None):
        """The process of a rank, of that to which it happens where none is named."""
        rank = self.who if rank is None else rank
        pid = self.heard.joined().get(rank)
        if pid is None or not stat_of(pid):
            raise Wrong(f"rank {rank} has no process")
        return pid

    def show(self, pid, name):
        try:
            with open(f"/proc/{pid}/{name}", errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    def helpers(self):
        """The processes that work for that rank: compilers, loaders."""
        rank = self.rank_process()
        return [pid for pid in descendants(rank) if pid != rank]

    def hit(self, pid, signum):
        try:
            os.kill(pid, signum)
            self.deeds_at = time.monotonic()
        except ProcessLookupError:
            pass

    def await_true(self, what, is_true):
        deadline = time.monotonic() + STARTING_S
        while time.monotonic() < deadline:
            if self.agent.poll() is not None:
                raise Wrong(f"the job ended by itself before: {what}")
            try:
                if is_true():
                    return
            except Wrong:
                pass  # not there yet
            time.sleep(0.1)
        raise Wrong(f"still not: {what}")

    def await_step(self):
        """Until that rank steps, and its process is known."""
        self.await_true("a step", lambda: f"[rank {self.who}] step 1 " in self.said() and
                        self.rank_process())

    def await_compiler(self):
        """Until a compiler works for that rank, while its peers have nothing left to compile."""
        self.await_true("a compiler", lambda: any(
            self.show(pid, "comm").strip() in COMPILERS for pid in self.helpers()))

    def after(self, seconds, act):
        def wait_and_act():
            if not self.over.wait(seconds):
                act()
        threading.Thread(target=wait_and_act, daemon=True).start()

    def every_second(self, act):
        def go_on():
            while not self.over.wait(1):
                act()
        threading.Thread(target=go_on, daemon=True).start()

    def said(self):
        with open(os.path.join(self.folder, "agent.log"), errors="replace") as file:
            return file.read()

    # --- The run ---

    def start(self):
        command = launch(self.folder, self.truth["ranks"], self.scenario)
        self.scenario.arrange(self.folder, self.who)
        env = self.env
        if self.scenario.own_runs:
            env["INQUEST_OUT"] = self.out
        elif self.probed():
            command = [inquest, "run", "-o", self.out, "--name", "train", "--hang-after",
                       str(self.scenario.hang_after), "--"] + command
        else:
            env = {key: value for key, value in env.items() if not key.startswith("INQUEST")}
        self.log = open(os.path.join(self.folder, "agent.log"), "wb")
        self.heard = Log(os.path.join(self.folder, "agent.log"))
        self.agent = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL,
                                      stdout=self.log, stderr=self.log, cwd=self.folder)
        self.scenario.deed(self)
        if not self.scenario.probed:
            self.await_true("ranks", self.job)

    def job(self):
        """Without inquest in it, the job is told by a process of its own."""
        if self.scenario.probed:
            return super().job()
        return str(self.rank_process((self.who + 1) % self.truth["ranks"]))

    def grown(self):
        """When the job last said something, so far as we have looked."""
        size = os.stat(os.path.join(self.folder, "agent.log")).st_size
        if size != getattr(self, "size", None):
            self.size, self.spoke = size, time.monotonic()
        return self.spoke

    def wait_for_truth(self):
        """The truth must be found, and must stand: three times in a row."""
        deadline = time.monotonic() + STARTING_S + PATIENCE_S
        last, right, self.before = "nothing was said", 0, {}
        while time.monotonic() < deadline and time.monotonic() - self.grown() < PATIENCE_S:
            quiet_since = self.grown()
            if self.agent.poll() is not None:
                raise Wrong(f"the job ended by itself, status {self.agent.returncode}; {last}")
            judged = self.judge("attach", self.job(), "--json")
            last = self.difference(*judged) if judged else "no evidence"
            if not last and self.name == "healthy":
                last = None if f"[rank {self.who}] step 5 " in self.said() else "no step yet"
            self.remember(judged, last)
            right = 0 if last else right + 1
            if right == 1:
                since = self.deeds_at or self.waited_since(judged[1], quiet_since)
                self.found = f"{time.monotonic() - since:.1f} s"
            if right >= 3 and self.agent_said(since):
                return
            time.sleep(0.5)
        wrong = self.ask("attach", self.job(), "-o", os.path.join(self.folder, "wrong.inq"))
        raise Wrong(f"the truth was not found: {last}\n{wrong[1].decode()}")

    def waited_since(self, verdict, quiet_since):
        """Since when others wait: the job's last word may be somebody else's, and later."""
        waiting = first_of(verdict)["waiting_s"]
        return min(quiet_since, time.monotonic() - (waiting or 0))

    def agent_said(self, since):
        """
        Whether the agent has said it of itself, which it does of what is wrong, and what it kept
        tells the truth; and when.
        """
        if not self.truth["exit"] or not self.scenario.probed:
            return True
        judged = self.judge("diagnose", self.out, "--json")
        if not judged:
            return False
        self.refuse_accusation(judged[1])
        if self.difference(*judged):
            return False
        self.found += f", {time.monotonic() - since:.1f} s in the log"
        return True

    def remember(self, judged, difference):
        """What was said of ranks that have no part in it, as long as the job was starting."""
        for each in judged[1]["verdicts"] if judged and difference else []:
            wrongly = set(each["culprits"]) - set(self.truth["involved"])
            if wrongly:
                self.before[each["headline"]] = self.before.get(each["headline"], 0) + 1

    def keep_laws(self, bundle):
        with open(bundle, "rb") as file:
            self.bundle_bytes = len(file.read())
        try:
            super().keep_laws(bundle)
        except Wrong as broken:
            lines = str(broken).splitlines()
            if os.environ.get("INQUEST_KEEP_JOBS"):
                with open(os.path.join(self.folder, "laws"), "w") as file:
                    file.write(str(broken))
            raise Wrong(f"{len(lines)} times, first {lines[0][:900]}") from broken

    def refuse_hints(self):
        """Nothing that a process of the job shows may tell what happens in it."""
        words = {self.truth["class"], self.name} - {"healthy", "cold", "exit"}
        for pid in descendants(self.agent.pid):
            for name in ("comm", "cmdline", "environ"):
                shown = self.show(pid, name)
                for word in words:
                    if word in shown and "-" in word:
                        raise Wrong(f"{name} of process {pid} gives {word} away")

    def compare_bundle(self):
        super().compare_bundle()
        self.verdict = first_of(json.loads(
            self.ask("diagnose", os.path.join(self.folder, "now.inq"), "--json")[1]))

    def run(self):
        if self.bare:
            self.run_bare()
            return
        self.start()
        if self.scenario.ends:
            self.agent.wait(STARTING_S + PATIENCE_S)
            self.found = None
        else:
            self.wait_for_truth()
            self.refuse_hints()
            self.compare_bundle()
        self.end()
        self.judge_end()
        self.tell_row()

    def run_bare(self):
        self.start()
        until = time.monotonic() + 150
        while time.monotonic() < until and self.agent.poll() is None:
            if time.monotonic() - self.grown() > 25:
                break
            time.sleep(0.5)
        ended = self.agent.poll()
        print(f"--- {self.name} (rank {self.who}): " + (
            f"ended with {ended}" if ended is not None else
            f"quiet for {time.monotonic() - self.grown():.0f} s"))
        print("\n".join(self.said().splitlines()[-24:]), flush=True)
        print(subprocess.run(["ps", "-o", "pid,ppid,stat,wchan:20,time,args", "--pid",
                              ",".join(map(str, descendants(self.agent.pid)))],
                             capture_output=True, text=True).stdout[:4000], flush=True)
        self.end()

    def judge_end(self):
        if not self.scenario.probed:
            return  # nobody of ours was there
        if self.scenario.passes:
            # It may be over by now; while it was not, the agent's bundle was looked at.
            self.refuse_accusation(self.judge("diagnose", self.out, "--json")[1])
            return
        super().judge_end()
        if self.found is None:
            self.verdict = first_of(self.judge("diagnose", self.out, "--json")[1])

    def tell_row(self):
        """One line of the table; and what was said while the job came up, if of others."""
        facts = "; ".join(" ".join(each["fact"].split())[:160]
                          for each in self.verdict["evidence"][:2])
        found = self.found or "at its end"
        print(f"| {self.name} | {self.verdict_words()} | {self.verdict['culprits']} | "
              f"{facts} | {found} |", flush=True)
        for headline, times in getattr(self, "before", {}).items():
            print(f"  before that, {times} times: {headline}", flush=True)

    def verdict_words(self):
        """What it is, and how sure that is."""
        cause = self.verdict["cause"] or self.verdict["where"]
        return f"{self.verdict['class']}{f' ({cause})' if cause else ''}, " \
            f"{self.verdict['confidence']}, {self.verdict['outlook']}"

    def end(self):
        """As ever; what holds the rank is let go of last, lest the job recovers before it ends."""
        self.over.set()
        try:
            super().end()
        finally:
            if self.agent:
                self.scenario.let_go()
                self.heard.close()


class PlainPlay(Ways, TorchPlay):
    """One that is read in each way that there is."""


class StrictPlay(Ways, Strictness, TorchPlay):
    """The same, of which more is asked."""


class UnprobedPlay(Unprobed, Ways, TorchPlay):
    """The same with nothing of ours in it."""


def play_of(name, unprobed):
    if unprobed:
        return UnprobedPlay(name)
    strict = SCENARIOS[name.partition("@")[0]].strict
    return StrictPlay(name) if strict else PlainPlay(name)


def main(arguments):
    TorchPlay.bare = "--bare" in arguments
    if "--gpu" in arguments:
        settings["backend"] = "nccl"
    if "--ddp" in arguments:
        settings["mode"] = "ddp"
    names = [name for name in arguments if not name.startswith("--")]
    unknown = {name.partition("@")[0] for name in names} - set(SCENARIOS)
    if unknown:
        raise SystemExit(f"no such scenario: {unknown}")
    if not os.path.exists(launchers.run):
        print(f"no PyTorch in {torch}; ./quickstart torch puts one there")
        return 77
    examine.AT_A_TIME = 1
    unprobed = "--unprobed" in arguments
    return play_all([play_of(name, unprobed) for name in names], base_seed())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
