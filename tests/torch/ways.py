# SPDX-License-Identifier: Apache-2.0
"""
The four ways in which a job's verdict is read, and what each said: in the log, by who attaches to
it, from the bundle that is left, and by who attaches to the same job with nothing of ours in it.

Of a play each way is one line, beginning with "=": case, truth, way, what it said, and whether that
is "ok", "less" (it is not the truth, and says nothing surely that is not so) or "WRONG". table.py
makes a table of them.
"""

import time

from examine import Wrong
from strict import SURE, first_of
from table import WAYS

LOOKS = 3  # that say the same: then that is the answer
LATEST_S = 40  # after the job's last word, beyond the time of a hang
WELL = ("healthy", "slow", "too-early")


def words_of(each):
    """A verdict in few words: class, cause, ranks, confidence."""
    cause = each["cause"] or each["where"]
    ranks = ",".join(map(str, each["culprits"])) or "-"
    return f"{each['class']}{f' ({cause})' if cause else ''} {ranks} {each['confidence']}"


class Ways:
    """Stands before a play; notes what is said, and tells it after the play, however that went."""

    def __init__(self, name):
        super().__init__(name)
        self.said_by, self.passed = {}, False

    def see_it_pass(self):
        self.passed = True
        super().see_it_pass()

    def note(self, way, judged):
        """Keeps what was said last of the mishap: before the first rank has come there is none."""
        begun = not self.truth["exit"] or self.heard.joined() or way == "bundle"
        if judged and begun and not self.passed:
            self.said_by[way] = judged

    def judge(self, *words):
        judged = super().judge(*words)
        if words[0] == "attach":
            self.note("attach" if self.probed() else "unprobed", judged)
        elif words[0] == "diagnose" and words[1] == self.out:
            self.note("bundle", judged)
        return judged

    def note_log(self):
        if self.agent and self.truth and self.scenario.probed and "log" not in self.said_by:
            said = [(1, verdict) for when, verdict in self.heard.verdicts()
                    if verdict["verdicts"] and when > self.well_from()]
            wrong = [each for each in said if self.mark("log", *each) == "WRONG"]
            if said:
                self.said_by["log"] = (wrong or said)[-1]

    def end(self):
        self.note_log()
        super().end()

    def well_from(self):
        """Since when a job that is well has been: who starts later than others is waited for."""
        if self.truth["exit"]:
            return 0
        return min((when for when, line in list(self.heard.lines)
                    if line.startswith(f"[rank {self.who}] step 1 ")), default=float("inf"))

    def run(self):
        try:
            super().run()
        finally:
            self.note_log()
            self.tell_ways()

    def tell_ways(self):
        truth = dict(self.truth, confidence="") if self.truth else None
        for way in WAYS:
            if truth and way in self.said_by:
                print(f"= {self.name.removeprefix('unprobed-')} | {words_of(truth)} | {way} | "
                      f"{words_of(first_of(self.said_by[way][1]))} | "
                      f"{self.mark(way, *self.said_by[way])}", flush=True)

    # --- Whether it is right ---

    def allowed(self, way):
        """What may be said surely, as it differs from the truth."""
        yield {}
        yield from self.scenario.weaker
        if way == "unprobed" and self.truth["exit"]:
            # Where it stands is seen, and not how it came there.
            yield {"class": "host-stall", "family": "host", "cause": None, "where": None}

    def mark(self, way, status, verdict):
        first = first_of(verdict)
        if self.differs_from({}, status, verdict) is None:
            return "ok"
        if first["confidence"] not in SURE or first["class"] == "inconclusive":
            return "less"
        if first["class"] in WELL and not self.is_standing(way):
            return "less"
        if any(self.is_within(dict(self.truth, **other), first) for other in self.allowed(way)):
            return "less"
        return "WRONG"

    def is_standing(self, way):
        """Whether somebody surely waits when that is said: the mishap has not passed by then."""
        return bool(self.truth["exit"]) and not (self.scenario.passes and way != "log")

    def is_within(self, truth, first):
        """Whether a sure verdict says nothing but what is so, if not all of it."""
        if first["class"] != truth["class"]:
            return False
        if not set(first["culprits"]) <= set(self.truth["involved"]):
            return False
        return all(first[key] in (None, "unknown", truth[key]) or truth[key] is None
                   for key in ("cause", "where"))

    def differs_from(self, weaker, status, verdict):
        truth = self.truth
        self.truth = dict(truth, **weaker)
        try:
            return super().difference(status, verdict)
        finally:
            self.truth = truth


class Unprobed:
    """Stands before a play, too: the same job without us in it, asked until it says the same."""

    def draw(self, seed):
        super().draw(seed)
        if self.scenario.probed:
            self.scenario.probed = False
            self.scenario.own_runs = False

    def run_unprobed(self):
        self.start()
        last, same = None, 0
        while same < LOOKS:
            if self.agent.poll() is not None:
                raise Wrong(f"the job ended by itself, status {self.agent.returncode}")
            quiet = time.monotonic() - max(self.deeds_at or 0, self.heard.last_word())
            if quiet < self.scenario.hang_after and self.truth["exit"]:
                time.sleep(0.5)
                continue
            judged = self.judge("attach", self.job(), "--json")
            now = words_of(first_of(judged[1])) if judged else None
            same = same + 1 if now and now == last and not self.is_early(judged[1]) else 0
            last = now
            if quiet > self.scenario.hang_after + LATEST_S or (same and not self.truth["exit"]):
                break
            time.sleep(1)
        self.ask("attach", self.job(), "-o", self.folder + "/now.inq")
        self.end()

    def is_early(self, verdict):
        """Whether the mishap may not have come about yet."""
        said = first_of(verdict)["class"]
        return said == "too-early" or (said in WELL and bool(self.truth["exit"]))

    def run(self):
        try:
            self.run_unprobed()
        finally:
            self.tell_ways()
        if "unprobed" not in self.said_by:
            raise Wrong("nothing was said")
        if self.mark("unprobed", *self.said_by["unprobed"]) == "WRONG":
            raise Wrong(words_of(first_of(self.said_by["unprobed"][1])))
