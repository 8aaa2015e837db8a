# SPDX-License-Identifier: Apache-2.0
"""Programs and properties: what each program does bare, and under a wrapper.

    bare.py list                        the programs that this machine has
    bare.py build                       those of BUILT that it has, built; what not, on stderr
    bare.py play PROGRAM WRAPPER...     plays all properties bare and as WRAPPER... PROGRAM; prints
                                        "same" or "OTHER PROPERTY" for each, and what differs

BARE_BUILT: where they are built.
BARE_PROPERTIES: these alone.
BARE_PATIENCE: seconds after which what has not come is said not to come.

To add a program: a row of PROGRAMS (played with all properties) or of BUILT (with those of
built.test), one line, and its words for the deeds if no other row has them: a habit that C can
have is a word of manners.c. To add a property: a row of PROPERTIES, with a function that starts the
program with deeds and returns what can be compared. Descriptors of a program beside 0, 1 and 2:

    5  the leash: to be read; at its end the deed `wait' is over
    6  ready: a pipe to be written to
    7  locked: a file with flock() on it
"""
import ctypes
import fcntl
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time

LEASH, READY, LOCK = 5, 6, 7
PATIENCE = float(os.environ.get("BARE_PATIENCE", 20))
HERE = os.environ["top_builddir"] + "/tests/trouble"
STATIC = os.environ.get("MANNERS_STATIC", "")

# --- Programs ------------------------------------------------------------------------------------

# Each deed in the words of a language. {} is a number.
SHELL = {
    "here": "echo $$",
    "wait": "read -r _ <&5",
    "exit": "exit {}",
    "die": "kill -{} $$",
    "say": "printf 'out\\n\\001\\n'; echo err >&2",
    "hush": "exec >&-",
    "deaf": "exec <&-",
    "flood": "while echo x; do :; done",
    "ready": "printf 1 >&6; exec 6>&-",
    "unlock": "exec 7>&-",
}
PYTHON = {
    "here": "import os, signal; os.write(1, b'%d\\n' % os.getpid())",
    "wait": "import os; os.read(5, 1)",
    "exit": "raise SystemExit({})",
    "die": "import os, signal; signal.signal({0}, signal.SIG_DFL) if {0} != 9 else 0; "
           "os.kill(os.getpid(), {0})",
    "say": "import os; os.write(1, b'out\\n\\1\\n'); os.write(2, b'err\\n')",
    "hush": "import os; os.close(1)",
    "deaf": "import os; os.close(0)",
    "flood": "import os, signal; signal.signal(signal.SIGPIPE, signal.SIG_DFL)\n"
             "while 1: os.write(1, b'x\\n')",
    "ready": "import os; os.write(6, b'1'); os.close(6)",
    "unlock": "import os; os.close(7)",
}
PERL = {
    "here": "$| = 1; print \"$$\\n\";",
    "wait": "use POSIX; POSIX::read(5, my $byte, 1);",
    "exit": "exit {};",
    "die": "kill {}, $$;",
    "say": "print \"out\\n\\1\\n\"; print STDERR \"err\\n\";",
    "hush": "close STDOUT; ",
    "deaf": "close STDIN;",
    "flood": "$| = 1; while (1) { print \"x\\n\" }",
    "ready": "use POSIX; POSIX::write(6, '1', 1); POSIX::close(6);",
    "unlock": "use POSIX; POSIX::close(7);",
}
NODE = {
    "here": "const fs = require('fs'); fs.writeSync(1, process.pid + '\\n');",
    "wait": "require('fs').readSync(5, Buffer.alloc(1));",
    "exit": "process.exit({});",
    "die": "process.kill(process.pid, {}); setTimeout(() => 0, 20000);",
    "say": "require('fs').writeSync(1, 'out\\n\\x01\\n'); require('fs').writeSync(2, 'err\\n');",
}

LUA = {
    "here": "local f = io.open('/proc/self/stat') print((f:read('n'))) io.flush() f:close()",
    "wait": "io.open('/dev/fd/5'):read(1)",
    "exit": "os.exit({})",
    "die": "os.execute('kill -{} $PPID')",
    "say": "io.write('out\\n\\1\\n') io.stderr:write('err\\n')",
}
RUBY = {
    "here": "$stdout.sync = true; puts $$",
    "wait": "begin; IO.for_fd(5).sysread(1); rescue EOFError; end",
    "exit": "exit!({})",
    "die": "Process.kill({}, $$); sleep 1",
    "say": "$stdout.sync = true; print \"out\\n\\1\\n\"; warn 'err'",
}


def words(deeds):
    """The deeds as the arguments of manners.c."""
    return [part for deed in deeds for part in deed.split()]


def said(language, deeds, between="\n"):
    return between.join(language[deed.split()[0]].replace("{}", deed.split()[-1])
                        .replace("{0}", deed.split()[-1]) for deed in deeds)


def script(interpreter):
    """A shell script of its own file, by its first line."""
    def argv(deeds):
        path = os.path.join(os.getcwd(), "script.sh")
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write("#!%s\n%s\n" % (interpreter, said(SHELL, deeds)))
        os.chmod(path + ".new", 0o755)
        os.rename(path + ".new", path)
        return [path]
    return argv


def behind(command):
    """The words of a shell command, and behind them the deeds."""
    def argv(deeds):
        places = {"manners": HERE + "/manners", "built": os.environ.get("BARE_BUILT", "")}
        return [re.sub(r"\$(manners|built)", lambda name: places[name.group(1)], word)
                for word in shlex.split(command)] + words(deeds)
    return argv


# Name; what must be there; its argument vector for deeds.
PROGRAMS = [
    ("dash", "dash", lambda deeds: ["dash", "-c", said(SHELL, deeds)]),
    ("bash", "bash", lambda deeds: ["bash", "-c", said(SHELL, deeds)]),
    ("script", "/bin/sh", script("/bin/sh")),
    ("bash-script", "/bin/bash", script("/bin/bash")),
    ("exec", "dash", lambda deeds: ["dash", "-c", 'exec "$@"', "-", HERE + "/manners"]
     + words(deeds)),
    ("env-i", "env", lambda deeds: ["env", "-i", HERE + "/manners"] + words(deeds)),
    ("python", "python3", lambda deeds: ["python3", "-c", said(PYTHON, deeds)]),
    ("perl", "perl", lambda deeds: ["perl", "-e", said(PERL, deeds)]),
    ("c", HERE + "/manners", lambda deeds: [HERE + "/manners"] + words(deeds)),
    ("static-c", STATIC, lambda deeds: [STATIC] + words(deeds)),
]

# Programs as somebody else builds or starts them, or with habits of their own, too many for all
# properties: name; a shell command that makes $to of $source (manners.c), $manners (what our build
# made of it) or what lies in $here; how what is made is started with deeds, or None: by itself.
BUILT = [
    ("musl", "musl-gcc -o $to $source", None),
    ("asan", "gcc -fsanitize=address -o $to $source", None),
    ("tsan", "gcc -fsanitize=thread -o $to $source", None),
    ("ubsan", "gcc -fsanitize=undefined -o $to $source", None),
    ("clang-asan", "clang -fsanitize=address -o $to $source", None),
    ("clang-tsan", "clang -fsanitize=thread -o $to $source", None),
    ("static-pie", "gcc -static-pie -o $to $source", None),
    ("node", "", lambda deeds: ["node", "-e", said(NODE, deeds)]),
    ("lua", "", lambda deeds: ["lua", "-e", said(LUA, deeds)]),
    ("ruby", "", lambda deeds: ["ruby", "-e", said(RUBY, deeds)]),
    ("unshare", "", behind("unshare -m $manners")),
    ("chroot", "", behind("chroot $built/root /manners")),
    ("setpriv", "", behind("setpriv --no-new-privs --inh-caps=-all $manners")),
    ("bwrap", "", behind("bwrap --ro-bind / / --dev-bind /dev /dev $manners")),
    ("low-memory", "", behind("sh -c 'ulimit -v 50000; exec \"$@\"' - $manners")),
    ("setuid", "install -m 4755 -o nobody $manners $to", None),
    ("capable", "install $manners $to && setcap cap_net_raw+ep $to", None),
    ("busybox", "", lambda deeds: ["busybox", "sh", "-c", said(SHELL, deeds)]),
    ("nohup", "", behind("nohup $manners")),
    ("timeout", "", behind("timeout --foreground 300 $manners")),
    ("setsid", "", behind("setsid -w $manners")),
    ("prlimit", "", behind("prlimit --nproc=2000 --nofile=9 --data=50000000 $manners")),
    ("own-preload", "", behind("sh -c 'LD_PRELOAD=libm.so.6 exec \"$@\"' - $manners")),
    ("sigchld", "", behind("$manners children")),
    ("sigalrm", "", behind("$manners alarms")),
    ("daemon", "", behind("$manners daemon")),
    ("closefrom", "", behind("$manners closefrom")),
    ("limits", "", behind("$manners limits")),
    ("seccomp", "", behind("$manners seal")),
    ("strace", "", behind("strace -f -o /dev/null $manners")),
    ("close-range", "", behind("python3 -c 'import ctypes, os, sys; ctypes.CDLL(None).close_range("
                               "8, 2**31 - 1, 0); os.execv(sys.argv[1], sys.argv[1:])' $manners")),
    ("exec-clean", "", behind("python3 -c 'import os, sys; "
                              "os.execve(sys.argv[1], sys.argv[1:], {})' $manners")),
    ("spawned", "", behind("python3 -c 'import os, sys; os._exit(os.waitstatus_to_exitcode("
                           "os.waitpid(os.posix_spawn(sys.argv[1], sys.argv[1:], {}), 0)[1]) & 255)"
                           "' $manners")),
    ("jemalloc", "", behind("sh -c 'LD_PRELOAD=$LD_PRELOAD:libjemalloc.so.2 exec \"$@\"' "
                            "- $manners")),
    ("tcmalloc", "", behind("sh -c 'LD_PRELOAD=libtcmalloc_minimal.so.4:$LD_PRELOAD exec \"$@\"' "
                            "- $manners")),
    ("bind-now", "", behind("env LD_BIND_NOW=1 $manners")),
    ("setsid-fork", "", behind("setsid -f -w $manners")),
    ("stdbuf", "", behind("stdbuf -oL $manners")),
    ("timeout-int", "", behind("timeout -s INT --foreground 300 $manners")),
]

# The same, of what takes long to build or to start: `make check-suites` plays these.
if os.environ.get("BARE_LONG"):
    BUILT = [
        ("go", "go build -o $to $here/manners.go", None),
        ("java", "javac -d $to.d $here/Manners.java", behind("java -cp $built/java.d Manners")),
    ]


def built(name):
    return lambda deeds: [os.environ["BARE_BUILT"] + "/" + name] + words(deeds)


def build():
    """Prints those that work here, and says of which it does not."""
    into, here = os.environ["BARE_BUILT"], os.environ["srcdir"] + "/tests/trouble"
    os.makedirs(into + "/root")
    for lib in re.findall(r"(/\S+\.so\S*)", subprocess.getoutput("ldd %s/manners" % HERE)):
        os.makedirs(into + "/root" + os.path.dirname(lib), exist_ok=True)
        shutil.copy(lib, into + "/root" + lib)
    shutil.copy(HERE + "/manners", into + "/root/manners")
    for name, how, argv in BUILT:
        env = dict(os.environ, to=into + "/" + name, source=here + "/manners.c", here=here,
                   manners=HERE + "/manners")
        try:
            subprocess.run(["sh", "-c", how], check=True, capture_output=True, env=env)
            ran = subprocess.run((argv or built(name))(["say", "exit 7"]), capture_output=True)
            if ran.stdout == b"out\n\1\n" and ran.returncode in (0, 7):
                print(name)
                continue
            why = "it does not run"
        except FileNotFoundError as missing:
            why = "no " + missing.filename
        except subprocess.CalledProcessError:
            why = "not built by " + how
        print("%s: skipped: %s" % (name, why), file=sys.stderr)


# What is known to differ, and so does not fail; what does not differ any more must go from here. By
# program ("*": all) and property.
KNOWN = set()

# --- Playing one ---------------------------------------------------------------------------------


class Play:
    """One program, started with pipes on 0, 1 and 2, held by its leash."""

    def __init__(self, argv, before=None, leash=None):
        leash, self.leash = leash or os.pipe()
        self.ready, ready = os.pipe()
        lock = os.open("locked", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)

        def prepare():
            for fd, number in ((leash, LEASH), (ready, READY), (lock, LOCK)):
                os.dup2(fd, number)
            if before:
                before()

        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, preexec_fn=prepare, bufsize=0,
                                        pass_fds=(LEASH, READY, LOCK))
        for fd in (leash, ready, lock):
            os.close(fd)

    def pid(self):
        """What the deed `here' says."""
        line = b""
        while not line.endswith(b"\n"):
            byte = self.process.stdout.read(1)
            if not byte:
                return None
            line += byte
        return int(line)

    def lives(self):
        return self.process.poll() is None

    def end(self):
        """Lets it go, and returns its status."""
        if self.leash >= 0:
            os.close(self.leash)
            self.leash = -1
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "did not end"
        finally:
            os.close(self.ready)
            for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
                stream.close()


def comes(what):
    """Whether it comes true before patience is over."""
    until = time.monotonic() + PATIENCE
    while not what():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def read_all(fd):
    """All up to the end, or None if that does not come."""
    got = b""
    while select.select([fd], [], [], PATIENCE)[0]:
        piece = os.read(fd, 4096)
        if not piece:
            return got
        got += piece
    return None


def contents(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def is_gone(pid):
    try:
        return contents("/proc/%d/stat" % pid).rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


# --- Properties ----------------------------------------------------------------------------------

def statuses(start):
    return [start(["exit %d" % n]).end() for n in (0, 7, 255)]


def deaths(start):
    def quiet():
        no_core()
        for number in (signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
    return [start(["die %d" % n], quiet).end() for n in (1, 2, 3, 6, 8, 9, 10, 11, 13, 15)]


def streams(start):
    play = start(["say"])
    return [read_all(play.process.stdout.fileno()), read_all(play.process.stderr.fileno()),
            play.end()]


def end_of_output(start):
    """It closes its stdout and goes on: who reads the pipe sees the end."""
    play = start(["here", "hush", "wait"])
    play.pid()
    rest = read_all(play.process.stdout.fileno())
    return [rest, play.lives(), play.end()]


def broken_input(start):
    """It closes its stdin and goes on: who writes into the pipe is told."""
    play = start(["here", "deaf", "wait"])
    play.pid()

    def is_broken():
        try:
            play.process.stdin.write(b"x")
        except BrokenPipeError:
            return True
        return False
    return [comes(is_broken), play.lives(), play.end()]


def broken_output(start):
    """Nobody reads its stdout any more."""
    play = start(["here", "flood"])
    play.pid()
    play.process.stdout.close()
    return play.end()


def readiness(start):
    """A pipe by which it says that it is ready, and closes it (s6, systemd's cousins)."""
    play = start(["here", "ready", "wait"])
    play.pid()
    return [read_all(play.ready), play.lives(), play.end()]


def locks(start):
    """An inherited flock is held until it closes the descriptor, and no longer."""
    play = start(["here", "wait"])
    play.pid()
    other = os.open("locked", os.O_RDWR)

    def is_free():
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        fcntl.flock(other, fcntl.LOCK_UN)
        return True
    held = not is_free()
    status = play.end()
    play = start(["here", "unlock", "wait"])
    play.pid()
    freed = comes(is_free)
    os.close(other)
    return [held, status, freed, play.lives(), play.end()]


def no_core():
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def die_with_parent(number):
    if ctypes.CDLL(None).prctl(1, number, 0, 0, 0):
        os._exit(98)


def parents_death(start):
    """PR_SET_PDEATHSIG that it was started with; without, it goes on."""
    return [after_parents_death(start, number) for number in (signal.SIGKILL, signal.SIGTERM, 0)]


def after_parents_death(start, number):
    """Whether it is gone once the process between us and it is."""
    leash, told = os.pipe(), os.pipe()
    middle = os.fork()
    if middle == 0:
        play = start(["here", "wait"], lambda: die_with_parent(number), leash)
        os.write(told[1], b"%d\n" % play.pid())
        signal.pause()
    pid = int(os.read(told[0], 100))
    os.kill(middle, signal.SIGKILL)
    os.waitpid(middle, 0)
    if number:
        gone = comes(lambda: is_gone(pid))
    else:
        time.sleep(0.2)
        gone = is_gone(pid)
    for fd in leash + told:
        os.close(fd)
    ended = comes(lambda: is_gone(pid))
    return [gone, ended]


def stopping(start):
    """It stops itself, and is continued with its group: a shell sees it stopped, and going on."""
    results = []
    for number in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
        play = start(["here", "die %d" % number, "wait"], lambda: os.setpgid(0, 0))
        pid, seen = play.process.pid, []

        def has_stopped():
            got, status = os.waitpid(pid, os.WUNTRACED | os.WNOHANG)
            if got:
                seen.append(os.WIFSTOPPED(status) and os.WSTOPSIG(status))
            return got
        play.pid()
        comes(has_stopped)
        os.killpg(pid, signal.SIGCONT)
        results.append([seen, play.end()])
    return results


STATUS = re.compile(r"^(Umask|SigBlk|SigIgn|Cap\w+|NoNewPrivs|Seccomp|Cpus_allowed|Groups|Uid|Gid"
                    r"|THP_enabled|Mems_allowed|CoreDumping):.*$", re.M)
OURS = re.compile(r"LD_PRELOAD=.*|INQUEST_\w+=.*|NVTX_INJECTION64_PATH=.*|_=.*")


def descriptors(pid):
    """Number and kind of what is open: a program that is no rank has nothing of ours."""
    links = {}
    for number in os.listdir("/proc/%d/fd" % pid):
        link = os.readlink("/proc/%d/fd/%s" % (pid, number))
        flags = re.search(r"flags:\s*(\d+)", contents("/proc/%d/fdinfo/%s" % (pid, number)))
        links[int(number)] = (re.sub(r"\d+\]$", "]", link), flags.group(1))
    return sorted(links.items())


def as_inherited(play, pid):
    """All that a program is born with, as the kernel tells it."""
    stat = contents("/proc/%d/stat" % pid).rsplit(")", 1)[1].split()
    named = {play.process.pid: "first", pid: "first", os.getpid(): "test", os.getpgid(0): "test",
             os.getsid(0): "test's"}
    return {
        "group": named.get(int(stat[2]), "other"),
        "session": named.get(int(stat[3]), "other"),
        "terminal": int(stat[4]) and int(stat[4]) >> 8,
        "foreground": named.get(int(stat[5]), int(stat[5]) < 0),
        "nice": stat[16],
        "policy": stat[38],
        "status": [m.group(0) for m in STATUS.finditer(contents("/proc/%d/status" % pid))],
        "limits": contents("/proc/%d/limits" % pid).splitlines(),
        "oom_score_adj": contents("/proc/%d/oom_score_adj" % pid),
        "cwd": os.readlink("/proc/%d/cwd" % pid),
        "root": os.readlink("/proc/%d/root" % pid),
        "exe": os.readlink("/proc/%d/exe" % pid),
        "words": contents("/proc/%d/cmdline" % pid),
        "environment": dict(item.partition("=")[::2] for item in
                            contents("/proc/%d/environ" % pid).split("\0")
                            if not OURS.fullmatch(item)),
        "descriptors": descriptors(pid),
        "cgroup": contents("/proc/%d/cgroup" % pid),
        "timerslack": slack_of(pid),
        "coredump_filter": contents("/proc/%d/coredump_filter" % pid),
    }


def slack_of(pid):
    try:
        return contents("/proc/%d/timerslack_ns" % pid)
    except OSError:
        return None


def sleeps(pid):
    """Whether it has come to rest, in the deed `wait': for a tenth of a second nothing moved."""
    def seen():
        status = contents("/proc/%d/status" % pid)
        return (re.findall(r"^(?:State|\w*ctxt_switches):.*$", status, re.M), descriptors(pid))
    before = seen()
    for _ in range(4):
        time.sleep(0.025)
        if "S" not in before[0][0] or seen() != before:
            return False
    return True


def facts_of(play):
    pid = play.pid()
    comes(lambda: sleeps(pid))
    facts = as_inherited(play, pid)
    return [facts, play.end()]


def inherited(start):
    return facts_of(start(["here", "wait"]))


def inherited_oddly(start):
    """From a parent with a taste of its own."""
    def odd():
        import resource
        os.umask(0o027)
        os.nice(3)
        os.setpgid(0, 0)
        os.chdir("/")
        resource.setrlimit(resource.RLIMIT_NOFILE, (77, 1000))
        resource.setrlimit(resource.RLIMIT_STACK, (1 << 22, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGTERM, signal.SIGCHLD])
        for number in (signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_IGN)
        with open("/proc/self/oom_score_adj", "w", encoding="utf-8") as file:
            file.write("10")
        os.close(0)
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    return facts_of(start(["here", "wait"], odd))


def inherited_terminal(start):
    """On a terminal of its own."""
    master, slave = os.openpty()

    def on_terminal():
        os.setsid()
        fcntl.ioctl(slave, 0x540E, 0)  # TIOCSCTTY
    play = start(["here", "wait"], on_terminal)
    os.close(slave)
    facts = facts_of(play)
    os.close(master)
    return facts


def few_descriptors(start):
    """As many as its own three, and those of this test."""
    def few():
        import resource
        resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))
    play = start(["here", "wait"], few)
    return [play.pid() is not None, play.end()]


PROPERTIES = {
    "status": statuses,
    "death": deaths,
    "streams": streams,
    "end-of-output": end_of_output,
    "broken-input": broken_input,
    "broken-output": broken_output,
    "readiness": readiness,
    "locks": locks,
    "parents-death": parents_death,
    "stopping": stopping,
    "inherited": inherited,
    "inherited-oddly": inherited_oddly,
    "inherited-terminal": inherited_terminal,
    "few-descriptors": few_descriptors,
}

# --- The table -----------------------------------------------------------------------------------


def differences(bare, wrapped, where=""):
    """In lines, down to what differs."""
    if isinstance(bare, dict):
        return [line for key in sorted(set(bare) | set(wrapped)) for line in
                differences(bare.get(key), wrapped.get(key), where + key + ": ")]
    if isinstance(bare, list) and len(bare) == len(wrapped or []):
        return [line for one, other in zip(bare, wrapped)
                for line in differences(one, other, where)]
    return [] if bare == wrapped else ["%sbare %r, wrapped %r" % (where, bare, wrapped)]


def vector(name):
    """What makes the argument vector of this program's deeds."""
    for row in BUILT:
        if row[0] == name and "BARE_BUILT" in os.environ:
            return row[2] or built(name)
    return next(row[2] for row in PROGRAMS if row[0] == name)


def play(name, wrapper):
    argv = vector(name)
    wanted = os.environ.get("BARE_PROPERTIES", " ".join(PROPERTIES)).split()
    null = os.open("/dev/null", os.O_RDWR)
    for number in (LEASH, READY, LOCK):  # places that no pipe of ours takes
        os.dup2(null, number)
    bad = 0
    for prop, observe in PROPERTIES.items():
        if prop not in wanted:
            continue
        bare = observe(lambda deeds, *more: Play(argv(deeds), *more))
        wrapped = observe(lambda deeds, *more: Play(wrapper + argv(deeds), *more))
        lines = differences(bare, wrapped)
        known = bool({("*", prop), (name, prop)} & KNOWN)
        bad += bool(lines) != known
        print("OTHER" if lines else "same", prop, "(known)" if known else "", flush=True)
        for line in lines:
            print("\t" + line, flush=True)
    return 1 if bad else 0


def main():
    if sys.argv[1] == "list":
        print(*(row[0] for row in PROGRAMS if shutil.which(row[1])))
        return 0
    if sys.argv[1] == "build":
        return build()
    return play(sys.argv[2], sys.argv[3:])


if __name__ == "__main__":
    sys.exit(main())
