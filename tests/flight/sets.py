# SPDX-License-Identifier: Apache-2.0
"""
Sets of real dumps with their truth. What is said of each must be its class, and name who is to
blame, all who wait, and nobody else; or be one of the weaker answers that the truth allows.

    sets.py FOLDER	each set in it, and what is made of them: without their times, in parts,
                        with a host's clock wrong, two in one folder
"""
import itertools
import json
import os
import pickle
import random
import re
import shutil
import subprocess
import sys
import tempfile

INQUEST = os.environ["INQUEST"]
PARTS = int(os.environ.get("FLIGHT_PARTS", 6))  # of each set
CLOCKS = (3, -30, 3600)


def truth_of(folder):
    with open(os.path.join(folder, "truth.json")) as file:
        return json.load(file)


def diagnose(folder):
    run = subprocess.run([INQUEST, "diagnose", "--json", folder], capture_output=True, text=True)
    return json.loads(run.stdout) if run.stdout else None


def copy(folder, target, names=None, dated=True):
    """The set, or some of its dumps, with the times of its files, which no checkout keeps."""
    written = truth_of(folder)["written"]
    os.makedirs(target, exist_ok=True)
    for name in sorted(written) if names is None else names:
        path = shutil.copyfile(os.path.join(folder, name), os.path.join(target, name))
        when = written[name] if dated else 0
        os.utime(path, ns=(when, when))
    return target


def set_clock(folder, names, by_s):
    """Those dumps are of a host whose clock is so far ahead: what is in them, and their files."""
    for name in names:
        path = os.path.join(folder, name)
        at = os.stat(path).st_mtime_ns + by_s * 10**9
        with open(path, "rb") as file:
            text = file.read()
        dump = json.loads(text) if text[:1] == b"{" else pickle.loads(text)
        for entry in dump.get("entries", []):
            for key in ("time_created_ns", "time_discovered_started_ns",
                        "time_discovered_completed_ns"):
                if entry.get(key):
                    entry[key] += by_s * 10**9
        with open(path, "wb") as file:
            file.write(json.dumps(dump).encode() if text[:1] == b"{" else
                       pickle.dumps(dump, protocol=2))
        os.utime(path, ns=(at, at))


def answer(said):
    first = said["verdicts"][0] if said["verdicts"] else {"class": "too early", "confidence": None}
    return {"class": first["class"], "confidence": first["confidence"],
            "culprits": sorted({c for v in said["verdicts"] for c in v["culprits"]}),
            "victims": sorted({c for v in said["verdicts"] for c in v["victims"]})}


def is_right(got, truth):
    return all(got[key] == truth[key] for key in ("class", "culprits", "victims"))


def is_weaker(got, truth):
    """Which of the weaker answers it is, in words; None."""
    for each in truth["instead"]:
        if got["class"] == each["class"] and each["culprits"] in (None, got["culprits"]) and \
                (got["victims"] == each["victims"] if each["victims"] is not None else
                 each["culprits"] is None or set(got["victims"]) <= set(truth["victims"])) and \
                each["confidence"] in (None, got["confidence"]):
            return each["why"]
    return None


def accuses(said, truth):
    """Whom it names that is not to blame, with any confidence above hypothesis."""
    return sorted({c for v in said["verdicts"] if v["confidence"] not in ("hypothesis", "unknown")
                   for c in v["culprits"]} - set(truth["culprits"]))


class Judge:
    def __init__(self, scratch):
        self.scratch = scratch
        self.failed = 0
        self.made = 0

    def place(self):
        self.made += 1
        return os.path.join(self.scratch, str(self.made))

    def fail(self, what, said):
        self.failed += 1
        words = "nothing was said"
        if said:
            words = "%s %s" % (json.dumps(answer(said)),
                               " / ".join(v["headline"] for v in said["verdicts"]))
        print("FAIL %s: %s" % (what, words))

    def counts(self, name, said):
        """What is not known has no number: none is told that nobody can have counted."""
        for verdict in said["verdicts"] if said else []:
            for each in verdict["evidence"]:
                if re.search(r"\b\d{13,}\b|\b0 records lost", each["fact"]):
                    self.fail(name + ": " + each["fact"], said)

    def whole(self, name, folder, truth):
        said = diagnose(copy(folder, self.place()))
        self.counts(name, said)
        got = said and answer(said)
        if said and is_right(got, truth):
            how = "right"
        elif said and not accuses(said, truth) and is_weaker(got, truth):
            how = "weaker, since " + is_weaker(got, truth)
        else:
            self.fail(name, said)
            return
        print("| %s | %s | %s | %s | %s | %s |" % (
            name, got["class"], got["confidence"], got["culprits"], got["victims"], how))

    def undated(self, name, folder, truth):
        """Nobody is late for certain in a dump that may be of a job that runs."""
        said = diagnose(copy(folder, self.place(), dated=False))
        if not said or accuses(said, truth):
            self.fail(name + ", without times", said)
            return
        got = answer(said)
        if not set(got["culprits"]) <= set(truth["culprits"]) and not is_weaker(got, truth) and \
                got["confidence"] != "hypothesis":
            self.fail(name + ", without times", said)

    def clocks(self, name, folder, truth):
        """Law 7. So few ops may leave it open whether they are of one run: then it is said so."""
        files = sorted(truth["written"])
        known = answer(diagnose(copy(folder, self.place())))
        for by_s in CLOCKS:
            at = copy(folder, self.place())
            set_clock(at, files[len(files) // 2:], by_s)
            said = diagnose(at)
            got = said and answer(said)
            unsure = said and "may be of another run" in json.dumps(said["losses"])
            if unsure and known["class"] == "healthy" and got["class"] == "inconclusive":
                continue
            if not said or accuses(said, truth) or (
                    {**got, "confidence": None} != {**known, "confidence": None}) or (
                    got["confidence"] != known["confidence"] and not (
                        unsure and got["confidence"] in ("hypothesis", "unknown"))):
                self.fail("%s, clocks %d s apart (was %s)" % (name, by_s, known), said)

    def parts(self, name, folder, truth):
        """Some of the dumps only: nobody else is named, and what lacks is not well."""
        files = sorted(truth["written"])
        parts = [p for n in range(1, len(files)) for p in itertools.combinations(files, n)]
        random.Random(name).shuffle(parts)
        for part in parts[:PARTS]:
            for dated in (True, False):
                said = diagnose(copy(folder, self.place(), part, dated))
                self.counts("%s, only %s" % (name, " ".join(part)), said)
                if not said or accuses(said, truth) or any(
                        v["class"] == "healthy" for v in said["verdicts"]):
                    self.fail("%s, only %s%s" % (name, " ".join(part),
                                                 "" if dated else ", without times"), said)

    def two_runs(self, older, newer):
        """A run wrote over an earlier one of more ranks: that is not merged into it, silently."""
        truth = truth_of(newer)
        target = copy(older, self.place())
        at = min(truth["written"].values()) - max(truth_of(older)["written"].values())
        if at < 20e9:
            raise SystemExit("%s is no older than %s" % (older, newer))
        copy(newer, target)
        said = diagnose(target)
        if not said or not is_right(answer(said), truth) or "of another run" not in json.dumps(
                said["losses"]) or said["job"]["world_size"] != truth["ranks"]:
            self.fail("%s over %s" % (newer, older), said)


def judge_all(folder, scratch):
    judge = Judge(scratch)
    names = sorted(n for n in os.listdir(folder)
                   if os.path.exists(os.path.join(folder, n, "truth.json")))
    print("| set | class | confidence | culprits | victims | |\n|--|--|--|--|--|--|")
    for name in names:
        at = os.path.join(folder, name)
        truth = truth_of(at)
        judge.whole(name, at, truth)
        judge.undated(name, at, truth)
        judge.clocks(name, at, truth)
        judge.parts(name, at, truth)
    larger = [n for n in names if truth_of(os.path.join(folder, n))["ranks"] == 8]
    smaller = [n for n in names if truth_of(os.path.join(folder, n))["ranks"] < 8 and
               truth_of(os.path.join(folder, n))["class"] == "host-stall" and
               not truth_of(os.path.join(folder, n))["instead"]]
    pairs = [(a, b) for a in larger for b in smaller
             if min(truth_of(os.path.join(folder, b))["written"].values()) -
             max(truth_of(os.path.join(folder, a))["written"].values()) > 20e9 and
             set(truth_of(os.path.join(folder, b))["written"]) <
             set(truth_of(os.path.join(folder, a))["written"])]
    for older, newer in pairs[:4]:
        judge.two_runs(os.path.join(folder, older), os.path.join(folder, newer))
    print("%d sets, %d pairs of runs, %d times judged, %d failed" % (
        len(names), len(pairs[:4]), judge.made, judge.failed))
    return 1 if judge.failed or not names or not pairs else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(judge_all(sys.argv[1], place))
