#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other people's tests, bare and under `inquest run`: outcome by outcome, none may differ.

    suites.py [SUITE | SUITE:UNIT]...

Plays all of each suite, or the units named, twice: as they are, and wrapped. What differs is played
again, both ways: a test that comes out in many ways by itself is no difference. Prints a table.

    cpython   CPython's own tests, of /usr/bin/python3 (Debian: libpython3.11-testsuite)
    armed     the same in a process that has imported PyTorch, whose modules the shim patches
    bash      bash's own tests (its source; ./quickstart suites)
    go        Go's os, os/exec, os/signal and syscall (Debian: golang-go)
    torch     PyTorch's tests of torch.distributed on gloo, as far as its wheel has them
    store     torch.distributed's stores, by tests of our own: the wheel has none
    rpc       PyTorch's tests of remote procedure calls, every tenth (SUITES_SHARE: every that many)

INQUEST: the program; SUITES: where ./quickstart suites has put things; INQUEST_TORCH: PyTorch.
"""
import collections
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
INQUEST = os.path.abspath(os.environ["INQUEST"])
SUITES = os.path.abspath(os.environ.get("SUITES", "suites"))
TORCH = os.path.join(os.environ.get("INQUEST_TORCH", "torch"), "bin/python")
LONGEST_S = 1800
AGAIN = 2  # plays more of what differs

Unit = collections.namedtuple("Unit", "name argv cwd outcomes")


class Lacking(Exception):
    """What a suite needs is not here."""


# --- CPython -------------------------------------------------------------------------------------

FILES = """subprocess bdb signal threading threadsignals thread os posix faulthandler import audit
io asyncio multiprocessing_fork multiprocessing_forkserver multiprocessing_spawn concurrent_futures
sys wait3 wait4 fork1 popen pty select selectors atexit cmd_line cmd_line_script runpy site
importlib zipimport pkgutil inspect traceback sys_settrace sys_setprofile gc weakref exceptions
socket mmap resource fcntl tempfile eintr unittest embed queue sched context contextlib pdb doctest
threading_local threadedtempfile shutil openpty tracemalloc warnings logging""".split()


def junit(folder, _output, status):
    """Outcome of each test of regrtest's --junit-xml."""
    found = {"status": str(status)}
    try:
        tree = xml.etree.ElementTree.parse(folder + "/junit.xml")
    except (OSError, xml.etree.ElementTree.ParseError):
        return found
    for case in tree.iter("testcase"):
        kinds = sorted(child.tag for child in case if not child.tag.startswith("system"))
        found[case.get("name")] = "+".join(kinds) or case.get("result", "ok")
    return found


def cpython_units(python, start):
    """Of FILES those that this Python has; newer ones have split some."""
    there = subprocess.check_output([python, "-m", "test", "--list-tests"], text=True).split()
    options = ["--junit-xml", "junit.xml", "-u", "none"]
    return [Unit(test.split("test_", 1)[1], start + options + [test],
                 None, junit)
            for name in FILES for test in there
            if test == "test_" + name or test.startswith("test.test_%s." % name)]


def cpython():
    python = "/usr/bin/python3"
    if subprocess.call([python, "-c", "import test.test_bdb"], stderr=subprocess.DEVNULL):
        raise Lacking("CPython's tests (libpython3.11-testsuite)")
    return cpython_units(python, [python, "-m", "test"])


# PyTorch is imported once regrtest has gone through all modules: it would stumble over some of its.
ARM = """
import importlib, sys
main = importlib.import_module("test.libregrtest.main")
for name in "setup_process", "setup_tests":
    if hasattr(main, name):
        def set_up(*args, real=getattr(main, name)):
            real(*args)
            import torch, torch.distributed, torch.utils.data
        setattr(main, name, set_up)
main.main()
"""


def armed():
    if subprocess.call([TORCH, "-c", "import torch, test.test_bdb"] if os.path.exists(TORCH)
                       else ["false"], stderr=subprocess.DEVNULL):
        raise Lacking("PyTorch with CPython's tests (INQUEST_TORCH)")
    return cpython_units(TORCH, [TORCH, "-c", ARM])


# --- bash ----------------------------------------------------------------------------------------

# Each of its scripts, or those named: what differs from what should come out, and the status. Left
# out is what minds the terminal.
BASH = """
for script in ${*:-run-*}; do
    case $script in run-all | run-minimal | run-gprof | run-jobs | run-read) continue ;; esac
    BASH_TSTOUT=$(mktemp); export BASH_TSTOUT
    (. ./"$script") 2>&1
    echo "=== $script $?"
    rm -f "$BASH_TSTOUT"
done
"""


def bash_outcomes(_folder, output, status):
    found, lines = {"status": str(status)}, []
    for line in output.splitlines():
        ended = re.fullmatch(r"=== (\S+) (\d+)", line)
        if ended:
            text = re.sub(r"\d{3,}|/tmp/\S+", "#", "\n".join(lines))
            found[ended.group(1)] = "status %s\n%s" % (ended.group(2), text)
            lines = []
        elif not line.startswith("warning:"):
            lines.append(line)
    return found


def bash():
    tests = sorted(glob.glob(SUITES + "/bash-*/tests"))
    if not tests:
        raise Lacking("bash's source (./quickstart suites)")
    here = tests[-1]
    for helper in "recho", "zecho", "printenv", "xcase":
        source = "%s/../support/%s.c" % (here, helper)
        if os.path.exists(source) and not os.path.exists(here + "/" + helper):
            subprocess.check_call(["cc", "-w", "-DHAVE_STRING_H", "-DHAVE_STDLIB_H",
                                   "-DHAVE_UNISTD_H", "-I" + here + "/..", "-I/dev/null",
                                   "-I" + here + "/../include", "-o", here + "/" + helper, source])
    path = "PATH=%s:%s" % (here, os.environ["PATH"])
    start = ["env", "THIS_SH=/bin/bash", path, "sh", "-c", BASH, "-"]
    return [Unit("scripts", start, here, bash_outcomes)]


# --- Go ------------------------------------------------------------------------------------------

def go_outcomes(_folder, output, status):
    found = {"status": str(status)}
    for result, name in re.findall(r"^ *--- (\w+): (\S+)", output, re.M):
        found[name] = result
    return found


def go():
    if not shutil.which("go"):
        raise Lacking("Go (golang-go)")
    root = subprocess.check_output(["go", "env", "GOROOT"], text=True).strip()
    units = []
    for package in "os", "os/exec", "os/signal", "syscall":
        binary = os.path.join(SUITES, package.replace("/", "-") + ".test")
        os.makedirs(SUITES, exist_ok=True)
        if not os.path.exists(binary) and subprocess.call(
                ["go", "test", "-c", "-o", binary, package]):
            raise Lacking("Go's own tests (golang-src)")
        units.append(Unit(package, [binary, "-test.v", "-test.short"],
                          "%s/src/%s" % (root, package), go_outcomes))
    return units


# --- PyTorch -------------------------------------------------------------------------------------

DISTRIBUTED = """all_reduce_sum all_reduce_group_sum all_gather all_to_all barrier broadcast
broadcast_group gather reduce_sum scatter send_recv isend irecv monitored_barrier_gloo
monitored_barrier_failure_order new_subgroups all_gather_object
DistributedDataParallel_non_default_group get_rank destroy_full_group""".split()


def unittest_outcomes(_folder, output, status):
    found = {"status": str(status)}
    found.update(re.findall(r"^OUTCOME (\S+) (\S+)$", output, re.M))
    return found


def torch():
    path = SUITES + "/python"
    if not os.path.exists(TORCH):
        raise Lacking("PyTorch (INQUEST_TORCH)")
    if not os.path.exists(path + "/expecttest"):
        raise Lacking("the module expecttest (./quickstart suites)")
    return [Unit(name, ["env", "PYTHONPATH=" + path, TORCH, HERE + "/gloo.py",
                        "TestGloo.test_" + name], None, unittest_outcomes)
            for name in DISTRIBUTED]


def store():
    if not os.path.exists(TORCH):
        raise Lacking("PyTorch (INQUEST_TORCH)")
    return [Unit(name, [TORCH, HERE + "/store.py", name], None, unittest_outcomes)
            for name in ("HashStore", "FileStore", "TCPStore")]


def rpc():
    torch()  # what it lacks, this does
    start = ["env", "PYTHONPATH=" + SUITES + "/python", TORCH, HERE + "/rpc.py"]
    return [Unit(name, start + [name, os.environ.get("SUITES_SHARE", "10")], None,
                 unittest_outcomes)
            for name in subprocess.check_output(start, text=True,
                                                stderr=subprocess.DEVNULL).split()]


ALL = {"cpython": cpython, "armed": armed, "bash": bash, "go": go, "torch": torch,
       "store": store, "rpc": rpc}

# --- Playing -------------------------------------------------------------------------------------


def play(unit, wrapper):
    """Its outcomes, and how long it took. In a folder, a session and a TMPDIR of its own."""
    folder = tempfile.mkdtemp(prefix="inquest-suites.")
    env = dict(os.environ, TMPDIR=folder, INQUEST_DIR=folder + ".jobs", INQUEST_OUT=folder + ".out")
    began = time.monotonic()
    process = subprocess.Popen(wrapper + unit.argv, cwd=unit.cwd or folder, env=env,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output = process.communicate(timeout=LONGEST_S)[0].decode(errors="replace")
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, status = process.communicate()[0].decode(errors="replace"), "too long"
    output = re.sub(r"(?m)^inquest: .*\n", "", output)
    found = unit.outcomes(folder, output, status)
    for made in folder, folder + ".jobs", folder + ".out":
        shutil.rmtree(made, ignore_errors=True)
    return found, time.monotonic() - began, output


def differing(bare, wrapped):
    """Tests that come out in a way, wrapped, in which they never came out bare, or the reverse."""
    names = set().union(*bare, *wrapped)
    return sorted(name for name in names if not
                  {one.get(name) for one in bare} & {one.get(name) for one in wrapped})


def compare(suite, unit):
    """A line of the table; the number of differences."""
    runs = {"bare": [], "wrapped": []}
    seconds, output = {}, ""
    for again in range(1 + AGAIN):
        for way, wrapper in ("bare", []), ("wrapped", [INQUEST, "run", "--"]):
            found, seconds[way], output = play(unit, wrapper)
            runs[way].append(found)
        if not differing(runs["bare"], runs["wrapped"]):
            break
    differ = differing(runs["bare"], runs["wrapped"])
    if len(runs["bare"][0]) < 2:
        differ.append("nothing was played")
    counts = collections.Counter(what for name, what in runs["bare"][-1].items()
                                 if name != "status")
    said = ", ".join("%d %s" % (n, what[:20].replace("\n", " ").strip())
                     for what, n in counts.most_common(4))
    print("| %s | %s | %s | %.0f | %.0f | %d | %s |" % (
        suite, unit.name, said, seconds["bare"], seconds["wrapped"], again + 1,
        len(differ) or "none"), flush=True)
    for name in differ[:20]:
        print("    %s: bare %s, wrapped %s" % (name, [one.get(name) for one in runs["bare"]],
                                             [one.get(name) for one in runs["wrapped"]]))
    if differ and os.environ.get("SUITES_VERBOSE"):
        print(output[-20000:])
    return len(differ)


def main():
    wanted = collections.defaultdict(set)
    for word in sys.argv[1:] or ALL:
        suite, _, unit = word.partition(":")
        wanted[suite].update([unit] if unit else [])
    print("| suite | unit | outcomes, bare | bare s | wrapped s | plays | differ |")
    print("|--|--|--|--|--|--|--|", flush=True)
    differ = played = 0
    for suite, names in wanted.items():
        try:
            units = ALL[suite]()
        except Lacking as why:
            print("| %s | not played: no %s | | | | | |" % (suite, why), flush=True)
            continue
        for unit in units:
            if not names or unit.name in names:
                differ += compare(suite, unit)
                played += 1
    if not played:
        return 77
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
