# SPDX-License-Identifier: Apache-2.0
"""
The examples in inquest-verdicts(7) are what `inquest diagnose` prints today.

Behind a line `.\\" Example: NAME' stands, as a literal display, the top of the page of that
recorded job (fixtures/recorded/), or of one that is made here: its title, its outlook, its
evidence and the next step. Each section of a class has one.

    examples.py           compares
    examples.py --update  writes them anew (make -C build examples)
"""
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ["srcdir"]
INQUEST = os.environ["INQUEST"]
PAGE = os.path.join(SOURCE, "man/inquest-verdicts.7")
# Behind `.\\" Receipt: NAME' and `.\\" Compare: NAME NAME' stands all that the verb prints.
VERBS = re.compile(r'(\.\\" (Receipt|Compare): ([^\n]*)\n\.Bd -literal\n)(.*?)(\.Ed\n)', re.S)
VERB_PAGES = ("man/inquest-receipt.1", "man/inquest-compare.1")
EXAMPLE = re.compile(r'(\.\\" Example: (\S+)\n\.Bd -literal\n)(.*?)(\.Ed\n)', re.S)
# From here on a page tells what is not the case, and of each rank.
BELOW = ("ruled out", "unjudged", " first", "RANK ", "next ", "lost ")


def slow_device(folder):
    """Dumps of a job in which one rank's GPU has not done what all others' have."""
    sys.path.insert(0, os.path.join(SOURCE, "tests/flight"))
    from dumps import World
    world = World(4)
    for _ in range(6):
        world.collective(0, "all_reduce", done=[0, 1, 3])
    world.collective(0, "all_reduce", done=False)
    return world.write(folder)


MADE = {"slow-device": slow_device}
# Neither recorded nor made: it takes an agent that has been silent for half a minute.
WITHOUT = {"node-loss"}


def diagnose(name):
    with tempfile.TemporaryDirectory() as scratch:
        path = MADE[name](scratch) if name in MADE else \
            os.path.join(SOURCE, "fixtures/recorded", name)
        run = subprocess.run([INQUEST, "diagnose", path], capture_output=True, text=True)
    if not run.stdout:
        sys.exit("FAIL: nothing is said of %s: %s" % (name, run.stderr))
    return run.stdout.split("\n")


def excerpt(name):
    page = diagnose(name)
    shown = page[:1]
    for line in page[2:]:
        if line.startswith(BELOW):
            break
        shown.append(line)
    following = [i for i, line in enumerate(page) if line.startswith("next ")]
    for at in range(following[0], len(page)) if following else []:
        if at > following[0] and not page[at].startswith("  "):
            break
        shown.append(page[at])
    return "".join(roff(line) for line in shown)


def roff(line):
    line = line.rstrip().replace("\\", "\\e")
    return ("\\&" if line[:1] in (".", "'") else "") + line + "\n"


def printed(verb, names):
    run = subprocess.run([INQUEST, verb.lower()] + names.split(), capture_output=True, text=True,
                         cwd=os.path.join(SOURCE, "fixtures/recorded"))
    if not run.stdout:
        sys.exit("FAIL: nothing is said of %s: %s" % (names, run.stderr))
    return "".join(roff(line) for line in run.stdout.rstrip("\n").split("\n"))


def hold_verbs(update):
    """The pages of receipts: what the verb prints of recorded jobs."""
    for page in VERB_PAGES:
        path = os.path.join(SOURCE, page)
        with open(path) as file:
            text = file.read()
        new = VERBS.sub(lambda m: m[1] + printed(m[2], m[3]) + m[5], text)
        if not VERBS.search(text):
            sys.exit("FAIL: %s has no example" % page)
        if update:
            with open(path, "w") as file:
                file.write(new)
        elif new != text:
            sys.exit("FAIL: the example of %s is not what is printed today: make -C build "
                     "examples" % page)


def main():
    hold_verbs("--update" in sys.argv)
    with open(PAGE) as file:
        text = file.read()
    found = EXAMPLE.findall(text)
    if text.count('\\" Example: ') != len(found):
        sys.exit("FAIL: an example is not followed by its display")
    new = EXAMPLE.sub(lambda m: m[1] + excerpt(m[2]) + m[4], text)
    if "--update" in sys.argv:
        with open(PAGE, "w") as file:
            file.write(new)
        return
    lacking = [s.split("\n")[0] for s in re.split(r"^\.Ss (?=[a-z])", text, flags=re.M)[1:]
               if "Example: " not in s]
    lacking = [name for name in lacking if name not in WITHOUT]
    for name in lacking:
        print("FAIL: the section of %s has no example" % name)
    for was, now in zip(found, EXAMPLE.findall(new)):
        if was != now:
            print("FAIL: the example %s of inquest-verdicts(7) is not what is printed today:\n%s"
                  "make -C build examples writes it anew" % (was[1], now[2]))
            lacking.append(was[1])
    print("%d examples" % len(found))
    sys.exit(bool(lacking))


main()
