# SPDX-License-Identifier: Apache-2.0
"""
What is asked of a job that is examined strictly, beyond what examine.py asks of every one: the
verdict is there ON_TIME_S after a wait became one, live and in the log (later by as much as a
machine with other work takes longer for a look); once all innocent ranks have come, none of them is
named at any time; and a job that goes on again is not blamed for it.
"""

import json
import os
import statistics
import time

from examine import Wrong

ON_TIME_S = 10
LOOK_S = 2  # what a look takes at most where nothing else runs
STARTING_S = 240  # some imports of torch, on two busy cores
PATIENCE_S = 45  # after the job's last word
SETTLED_S = 5  # after the last innocent rank has come, which may still be on its way
PASSED_S = 5  # after the deed the job speaks again: the mishap is over
PAST_STEPS = 30  # of a job that goes on, until nobody is to blame any more
PAST_S = 120  # until its mishap is told as past: some times as long as it lasted
SURE = ("established", "supported")


def first_of(verdict):
    """Its first verdict; what stands for one where it is too early to tell."""
    early = verdict["too_early"] or {}
    return (verdict["verdicts"] or [{
        "class": "too-early", "cause": None, "where": None, "culprits": [], "evidence": [],
        "confidence": "unknown", "outlook": "wait", "waiting_s": early.get("age_s")}])[0]


class Strictness:
    """Stands before TorchPlay."""

    live = in_log = None  # seconds
    threshold_s = 0
    matched = {}

    # --- What was said ---

    def difference(self, status, verdict):
        """As ever, but one of several answers will do; and of some more is asked."""
        if not verdict["verdicts"]:
            return "too early, it says"
        best = None
        for weaker in ({}, *self.scenario.weaker):
            told = self.differs(weaker, status, verdict)
            if told is None:
                self.matched = weaker
                return None
            best = best or told
        return best

    def differs(self, weaker, status, verdict):
        truth, first = self.truth, verdict["verdicts"][0]
        self.truth = dict(truth, **weaker)
        try:
            told = super().difference(status, verdict)
        finally:
            self.truth = truth
        if not told and self.scenario.outlooks and first["outlook"] not in self.scenario.outlooks:
            told = f"outlook {first['outlook']}, not {self.scenario.outlooks}"
        for words in self.scenario.tells:
            if words not in json.dumps(first):
                told = told or f"it does not tell: {words}"
        return told

    def settled(self):
        """Whether all have come of whom that may be expected."""
        innocent = set(range(self.truth["ranks"])) - set(self.truth["involved"])
        return innocent <= set(self.heard.joined()) and \
            time.monotonic() - self.heard.joined_at() > SETTLED_S

    def refuse_accusation(self, verdict):
        """Who only may have to do with it is no accused, nor who is merely late: that is seen."""
        super().refuse_accusation({"verdicts": [each for each in verdict["verdicts"]
                                                if each["confidence"] in SURE
                                                and each["class"] != "slow"]})

    def remember(self, judged, difference):
        super().remember(judged, difference)
        if judged and self.settled():
            self.refuse_accusation(judged[1])

    # --- A job that hangs ---

    def wait_for_truth(self):
        deadline = time.monotonic() + STARTING_S + PATIENCE_S
        last, right, self.before, self.answers = "nothing was said", 0, {}, {}
        self.looks = []
        while time.monotonic() < deadline + self.threshold_s and \
                self.is_new(PATIENCE_S + self.threshold_s):
            if self.agent.poll() is not None:
                raise Wrong(f"the job ended by itself, status {self.agent.returncode}; {last}")
            if self.deeds_at and self.heard.last_word() > self.deeds_at + PASSED_S:
                break
            asked = time.monotonic()
            judged = self.judge("attach", self.job(), "--json")
            self.looks.append(time.monotonic() - asked)
            last = self.difference(*judged) if judged else "no evidence"
            self.answers[last] = self.answers.get(last, 0) + 1
            self.remember(judged, last)
            early = judged and judged[1].get("too_early")
            if early:  # a start is no hang before it has taken longer than starts do
                self.threshold_s = max(self.threshold_s, early["threshold_s"])
            right = 0 if last else right + 1
            if right == 1:
                self.live = asked - self.since()
            if right >= 3:
                last = self.log_is_wrong()
                if not last:
                    return self.be_on_time()
            time.sleep(0.5)
        wrong = self.ask("attach", self.job(), "-o", os.path.join(self.folder, "wrong.inq"))
        raise Wrong(f"the truth was not found: {last}; answers: {self.answers}\n"
                    f"{wrong[1].decode()}")

    def is_new(self, seconds):
        """Whether it has moved since, or may yet be coming up: importing takes what it takes."""
        return not self.heard.joined() or time.monotonic() - self.since() < seconds

    def since(self):
        return max(self.deeds_at or 0, self.heard.last_word())

    def log_is_wrong(self):
        """What is wrong with what the agent said of itself, and with what it kept; or None."""
        if not self.scenario.probed:
            return None
        told = "the log says nothing"
        for when, verdict in self.heard.verdicts():
            if self.settled() and when > self.heard.joined_at() + SETTLED_S:
                self.refuse_accusation(verdict)
            told = self.difference(1, verdict)
            if not told:
                self.in_log = when - self.since()
                break
        if told:
            return f"in the log: {told}"
        judged = self.judge("diagnose", self.out, "--json")
        told = self.difference(*judged) if judged else "there is none"
        return f"in the agent's bundle: {told}" if told else None

    def be_on_time(self):
        self.found = f"{self.live:.1f} s"
        if self.in_log is not None:
            self.found += f", {self.in_log:.1f} s in the log"
        slowness = max(1, statistics.median(self.looks) / LOOK_S)
        latest = (max(self.scenario.hang_after, self.threshold_s) + ON_TIME_S) * slowness
        if max(self.live, self.in_log or 0) > latest:
            raise Wrong(f"found after {self.found}: more than {latest:.1f} s")

    # --- A job that is well, or well again ---

    def well(self, judged):
        """What is said of a job that is well; None if it is nothing."""
        for each in judged[1]["verdicts"] if judged else []:
            if each["class"] not in ("healthy", "slow", "inconclusive"):
                return f"{each['class']} {each['culprits']} {each['outlook']}: {each['headline']}"
            if each["class"] != "slow" and each["culprits"]:
                return f"{each['class']} names {each['culprits']}"
        return None

    def stay_well(self):
        """As long as it takes: nothing is said against anybody, here or in the log."""
        deadline, said, asked = time.monotonic() + STARTING_S + PATIENCE_S, {}, 0
        until = f"[rank {self.who}] step {self.scenario.well_until} "
        while until not in self.said():
            if self.agent.poll() is not None or time.monotonic() > deadline:
                raise Wrong(f"the job did not come to {until}")
            judged = self.judge("attach", self.job(), "--json")
            wrong = self.settled() and self.well(judged)
            asked += 1
            if wrong:
                said.setdefault(wrong, []).append(round(time.monotonic() - self.heard.last_word()))
            time.sleep(0.5)
        for when, verdict in self.heard.verdicts():
            wrong = when > self.heard.joined_at() and self.well((1, verdict))
            if wrong:
                said.setdefault("in the log: " + wrong, []).append(0)
        if said:
            raise Wrong(f"{len(said)} things said of a job that is well: " + "; ".join(
                f"{words} ({ages} s after the last step)" for words, ages in said.items()))
        self.found = f"asked {asked} times"

    def see_it_pass(self):
        """It goes on, and then that is past: nobody is blamed for it any more."""
        begun = self.heard.steps(self.who)
        self.await_true("that it goes on", lambda: self.heard.steps(self.who) > begun + PAST_STEPS)
        deadline = time.monotonic() + PAST_S
        while True:
            judged = self.judge("attach", self.job(), "--json")
            wrong = self.well(judged)
            if wrong:
                raise Wrong(f"said of a job that is well again: {wrong}")
            present = [each["headline"] for each in judged[1]["verdicts"]
                       if each["culprits"] and " is " in each["headline"]]
            if not present or not self.scenario.told_as_past:
                break
            if time.monotonic() > deadline:
                raise Wrong(f"said of what is past: {present}")
            time.sleep(2)
        told = [each["headline"] for each in judged[1]["verdicts"]]
        self.found += f"; then: {'; '.join(told)}"

    def run(self):
        if self.bare or self.scenario.ends:
            super().run()
            return
        self.start()
        if self.truth["exit"]:
            self.wait_for_truth()
            self.refuse_hints()
            self.compare_bundle()
            if self.scenario.passes:
                self.see_it_pass()
        else:
            self.stay_well()
            self.verdict = first_of(self.judge("attach", self.job(), "--json")[1])
        self.end()
        if self.truth["exit"]:
            self.judge_end()
        self.tell_row()
