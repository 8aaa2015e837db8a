# SPDX-License-Identifier: Apache-2.0
"""
examine.py SCENARIO[@RANKS]...: plays each scenario, examines it and compares with its truth.

Who is the culprit, and among how many ranks, is drawn; INQUEST_SEED repeats a run. Of each job that
hangs, `inquest attach` is asked again and again until its verdict is the true one, and at no time
may it name a rank that has no part in it. What it then says must be what `inquest diagnose` says of
the bundle saved with it, byte for byte, and the bundle must keep the laws (tests/tools/laws). Last
the job is told to end, and the bundle that its agent leaves must tell the truth as well.

Several scenarios run at a time; one line each tells how it went. Exit 77: none could be played.
"""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

AT_A_TIME = 3
PATIENCE_S = 90  # for a verdict to stand; two busy cores are slow
ENDING_S = 90
GATHERINGS = 5  # of a job whose truth was seen: one of them finds it again
SCREEN = (24, 80)
CROWDED = 30  # lines, with more than eight ranks

inquest = os.environ["INQUEST"]
build = os.environ["top_builddir"]
scenarios = os.path.join(build, "fixtures/scenarios")
laws = os.path.join(build, "tests/tools/laws")


# A record is spoken of in another tense; all else is the same, byte for byte.
TENSES = (
    (b'"state":"recorded"', b'"state":"live"'),
    (b"if it still hangs, look again", b"look again, now that the others wait"),
    (b"if it still hangs, ", b""),
)


def in_the_present(said):
    for past, present in TENSES:
        said = said.replace(past, present)
    return said


class Wrong(Exception):
    """The verdict, or something around it, is not as it must be."""


class Weaker(Wrong):
    """It accuses nobody of what is not so, and is not the truth either."""


class Unplayable(Exception):
    """This machine cannot play the scenario."""


def base_seed():
    given = os.environ.get("INQUEST_SEED")
    return int(given) if given else random.SystemRandom().randrange(1 << 32)


def ranks_for(name, seed):
    """A world size from the seed; more often the usual eight than others."""
    ranks = random.Random(f"{seed} {name}").choice([4, 4, 5, 6, 8, 8, 8])
    return ranks // 2 * 2 if name == "graph-divergence-split" else ranks


def stat_of(pid):
    """Parent and start time of a process; None if there is none."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return int(fields[1]), int(fields[19])
    except OSError:
        return None


def descendants(pid):
    """The processes beneath one, as far as they live."""
    parents, found = {}, []
    for entry in map(int, filter(str.isdigit, os.listdir("/proc"))):
        stat = stat_of(entry)
        if stat:
            parents[entry] = stat[0]
    beneath = {pid}
    while beneath:
        beneath = {child for child, parent in parents.items() if parent in beneath}
        found += beneath
    return found


class Play:
    """One run of one scenario, in a folder of its own."""

    def __init__(self, name):
        self.name, _, ranks = name.partition("@")
        self.ranks = int(ranks) if ranks else None
        self.folder = tempfile.mkdtemp(prefix="job")
        self.conf = os.path.join(self.folder, "job")
        self.out = os.path.join(self.folder, "out")
        self.agent = None
        self.truth = None
        os.mkdir(self.conf)
        os.mkdir(self.out)

    def prepare(self):
        """The environment of everything that is run for this play."""
        standin = subprocess.run(
            [inquest, "demo", "--standin-dir"], capture_output=True, text=True, check=True)
        self.env = dict(os.environ, INQUEST_DIR=os.path.join(self.folder, "jobs"),
                        LD_LIBRARY_PATH=standin.stdout.strip())
        os.mkdir(self.env["INQUEST_DIR"], 0o700)

    def draw(self, seed):
        self.prepare()
        drawn = subprocess.run(
            [os.path.join(scenarios, "draw"), "--seed", str(seed), "--ranks",
             str(self.ranks or ranks_for(self.name, seed)), self.name, self.conf],
            capture_output=True, text=True)
        if drawn.returncode == 77:
            raise Unplayable(drawn.stdout.strip())
        if drawn.returncode:
            raise Wrong(f"draw: {drawn.stderr}")
        with open(os.path.join(self.conf, "truth.json")) as file:
            self.truth = json.load(file)

    def start(self):
        confine = self.truth["confine_mib"]
        self.env.pop("SLURM_JOB_END_TIME", None)
        if self.truth.get("ends_s"):
            self.env["SLURM_JOB_END_TIME"] = str(int(time.time()) + self.truth["ends_s"])
        command = [os.path.join(scenarios, "confine"), str(confine)] if confine else []
        command += [inquest, "run", "-o", self.out, "--name", "train", "--hang-after", "6", "--",
                    os.path.join(scenarios, "launch"), os.path.join(self.conf, "job.conf")]
        self.log = open(os.path.join(self.folder, "agent.log"), "wb")
        self.agent = subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL,
                                      stdout=self.log, stderr=self.log, cwd=self.folder)

    def job(self):
        """The word by which attach knows the job."""
        return "train"

    def ask(self, *words):
        """Runs inquest; returns its exit status and what it said."""
        done = subprocess.run([inquest, *words], env=self.env, capture_output=True, timeout=60)
        if done.returncode not in (0, 1, 3, 4):
            raise Wrong(f"inquest {' '.join(words)} gave {done.returncode}: {done.stderr!r}")
        return done.returncode, done.stdout

    def judge(self, *words):
        """As ask, with the JSON read; None where there is no evidence yet."""
        status, said = self.ask(*words)
        if status == 3:
            return None
        try:
            return status, json.loads(said)
        except ValueError as error:
            raise Wrong(f"inquest {' '.join(words)}: no JSON: {said!r}") from error

    def difference(self, status, verdict):
        """What differs from the truth, in words; None if nothing does."""
        if not verdict["verdicts"]:
            # Somebody waits at each look of a job that exchanges all the time: no hang, says it.
            early = verdict["too_early"]
            well = self.truth["class"] in ("healthy", "slow") and status == 0
            return None if well and early["age_s"] <= early["threshold_s"] else "too early"
        first = verdict["verdicts"][0]
        if first["class"] != self.truth["class"]:
            return f"class {first['class']}, not {self.truth['class']}"
        for key in ("family", "culprits"):
            if first[key] != self.truth[key]:
                return f"{key} {first[key]}, not {self.truth[key]}"
        for key in ("cause", "where", "outlook"):
            if self.truth[key] is not None and first[key] != self.truth[key]:
                return f"{key} {first[key]}, not {self.truth[key]}"
        if self.truth.get("limit"):
            left = first["watchdog_s"]
            if first["watchdog"] != self.truth["limit"] or left is None or \
                    not 0 < left <= self.truth["ends_s"]:
                return f"limit {first['watchdog']} in {left} s, not {self.truth['limit']}"
        if status != self.truth["exit"]:
            return f"exit {status}, not {self.truth['exit']}"
        if len(verdict["verdicts"]) > 1:
            return f"also {verdict['verdicts'][1]['class']}: {verdict['verdicts'][1]['headline']}"
        return None

    def refuse_accusation(self, verdict):
        """No rank without a part in it may be named, in no verdict, at no time."""
        for each in verdict["verdicts"]:
            wrongly = set(each["culprits"]) - set(self.truth["involved"])
            if wrongly:
                raise Wrong(f"{sorted(wrongly)} named: {each['class']}: {each['headline']}")
            if set(each["culprits"]) & set(each["victims"]):
                raise Wrong(f"both culprit and victim: {each['headline']}")

    def refuse_hints(self):
        """Nothing that a process of the job shows may tell what happens in it."""
        words = [self.truth["scenario"], self.truth["class"]]
        with open(os.path.join(self.conf, "job.conf")) as file:
            words += [line.split()[1] for line in file if line.startswith("what ")]
        for pid in descendants(self.agent.pid):
            for name in ("comm", "cmdline", "environ"):
                try:
                    with open(f"/proc/{pid}/{name}", errors="replace") as file:
                        shown = file.read()
                except OSError:
                    continue  # it has ended
                for word in words:
                    if word in shown and (name != "environ" or "-" in word):
                        raise Wrong(f"{name} of process {pid} gives {word} away")

    def wait_for_truth(self):
        deadline = time.monotonic() + PATIENCE_S + self.truth["stands_s"]
        time.sleep(min(2, self.truth["stands_s"]))
        last = "nothing was said"
        while time.monotonic() < deadline:
            if self.agent.poll() is not None:
                raise Wrong(f"the job ended by itself, status {self.agent.returncode}; {last}")
            judged = self.judge("attach", self.job(), "--json")
            if judged:
                self.refuse_accusation(judged[1])
                last = self.difference(*judged)
                if not last:
                    return
            time.sleep(0.5)
        raise Wrong(f"the truth was not found: {last}")

    def compare_bundle(self):
        """
        Live and from the bundle of that gathering: the same words, and the truth. On a machine
        with much else to do a rank may not get its turn for a moment: then less is said of it.
        """
        for left in reversed(range(GATHERINGS)):
            try:
                return self.compare_gathering()
            except Weaker:
                if not left:
                    raise

    def compare_gathering(self):
        bundle = os.path.join(self.folder, "now.inq")
        live = self.ask("attach", self.job(), "--json", "-o", bundle)
        stored = self.ask("diagnose", bundle, "--json")
        if live != (stored[0], in_the_present(stored[1])):
            raise Wrong(f"attach and diagnose differ: {live} {stored}")
        self.keep_laws(bundle)
        self.look_at_screen(bundle)
        self.expect(stored[0], json.loads(stored[1]), "the bundle")

    def expect(self, status, verdict, what):
        self.refuse_accusation(verdict)
        difference = self.difference(status, verdict)
        if difference:
            raise Weaker(f"{what}: {difference}")

    def keep_laws(self, bundle):
        done = subprocess.run([laws, bundle, *map(str, self.truth["involved"])],
                              capture_output=True, text=True, timeout=240)
        if done.returncode:
            raise Wrong(f"laws ({done.returncode}): {done.stdout}{done.stderr}")

    def look_at_screen(self, bundle):
        lines = self.ask("diagnose", bundle)[1].decode().splitlines()
        self.screen = lines
        most = SCREEN[0] if self.truth["ranks"] <= 8 else CROWDED
        if len(lines) > most or any(len(line) > SCREEN[1] for line in lines):
            raise Wrong("more than a screen:\n" + "\n".join(lines))

    def end(self):
        """Tells the job to end; whatever happens, it and all that it started does."""
        if not self.agent or self.agent.poll() is not None:
            return
        started = {pid: stat_of(pid) for pid in descendants(self.agent.pid)}
        self.agent.send_signal(signal.SIGTERM)
        try:
            self.agent.wait(ENDING_S)
        except subprocess.TimeoutExpired:
            self.agent.kill()
            self.agent.wait()
            raise Wrong("the job did not end when it was told to")
        finally:
            for pid, stat in started.items():
                now = stat_of(pid)
                if now and stat and now[1] == stat[1]:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)

    def judge_end(self):
        """What the agent left behind tells the truth as well."""
        judged = self.judge("diagnose", self.out, "--json")
        with open(os.path.join(self.folder, "agent.log"), errors="replace") as file:
            if "too late for the look before SIGTERM" in file.read():
                # On a busy machine somebody had died of it: then the job was over, and it says so;
                # and where a rank stood may be gone with the thread that held it there.
                self.truth = dict(self.truth, outlook=None, where=None)
        if not judged:
            if self.truth["exit"]:
                raise Wrong("the agent left no bundle")
            return
        self.expect(*judged, "the agent's bundle")

    def run(self):
        self.start()
        if self.truth["look"] == "live":
            self.wait_for_truth()
            self.refuse_hints()
            self.compare_bundle()
        else:
            self.agent.wait(PATIENCE_S + self.truth["stands_s"])
        self.end()
        self.judge_end()
        if self.truth["look"] == "over":
            bundles = [name for name in os.listdir(self.out) if name.endswith(".inq")]
            self.keep_laws(os.path.join(self.out, bundles[0]))

    def tell(self):
        """What a person needs to see why it went wrong."""
        text = []
        for path in [os.path.join(self.folder, "agent.log")] + [
                os.path.join(self.conf, name) for name in sorted(os.listdir(self.conf))
                if name.endswith((".log", ".conf"))]:
            if os.path.exists(path):
                with open(path, errors="replace") as file:
                    text += [f"--- {os.path.basename(path)}"] + file.read().splitlines()[-6:]
        return "\n".join(text)

    def keep_for_weakening(self):
        """Bundles, with the truth beside each, for `make check-weak'."""
        folder = os.environ.get("INQUEST_WEAK_BUNDLES")
        now = os.path.join(self.folder, "now.inq")
        if not folder or not self.truth:
            return
        os.makedirs(folder, exist_ok=True)
        left = [os.path.join(self.out, name) for name in os.listdir(self.out)]
        for number, path in enumerate(sorted(left) + [now]):
            if path.endswith(".inq") and os.path.exists(path):
                kept = os.path.join(folder, f"{self.name}-{os.getpid()}-{number}.inq")
                shutil.copy(path, kept)
                with open(kept + ".truth.json", "w") as file:
                    json.dump({"class": self.truth.get("class"),
                               "involved": list(self.truth.get("involved", []))}, file)

    def clean(self):
        self.keep_for_weakening()
        if os.environ.get("INQUEST_KEEP_JOBS"):
            print(f"# kept {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def examine(play, seed, results, room):
    """Plays one; says how it went in a line, and what one needs to see if it went wrong."""
    with room:
        began = time.monotonic()
        try:
            play.draw(seed)
            play.run()
            said = "ok"
        except Unplayable as reason:
            said = f"skip: {reason}"
        except Exception as error:  # also a time-out or a missing field: all are failures
            said = f"FAIL: {type(error).__name__}: {error}"
        try:
            play.end()
        except Wrong:
            pass
        drawn = f"{play.truth['ranks']} ranks, involved {play.truth['involved']}" \
            if play.truth else "not drawn"
        print(f"{play.name}: {said} ({drawn}, seed {seed}, {time.monotonic() - began:.0f} s)\n"
              + (play.tell() + "\n" if said.startswith("FAIL") else ""), end="", flush=True)
        play.clean()
        results.append(said)


def play_all(plays, seed):
    """Plays them, a few at a time. Returns the exit status of a test."""
    results, room = [], threading.Semaphore(AT_A_TIME)
    print(f"seed {seed} (INQUEST_SEED={seed} repeats this run)", flush=True)
    threads = [threading.Thread(target=examine, args=(play, seed, results, room))
               for play in plays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if any(said.startswith("FAIL") for said in results):
        return 1
    if all(said.startswith("skip") for said in results):
        print(results[0])
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(play_all([Play(name) for name in sys.argv[1:]], base_seed()))
