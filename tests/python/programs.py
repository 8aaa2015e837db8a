# SPDX-License-Identifier: Apache-2.0
"""
Odd programs, which must not be able to tell whether the Python route is there. Each is a name, the
options of python, and the text of a script; NEW ones are for pythons from that version on only.
"""

PROGRAMS = {}
NEW = {}
STDIN = {}


def program(name, text, options=(), new=(3, 8), stdin=""):
    PROGRAMS[name] = (tuple(options), text)
    NEW[name] = new
    STDIN[name] = stdin


program("names", """
import builtins, sys
print(sorted(globals()), len(vars(builtins)), sorted(sys.modules), sys.argv[1:])
print(sys.gettrace(), sys.getprofile(), sys.excepthook is sys.__excepthook__, sys.flags)
print([f for f in sys.meta_path if "inquest" not in repr(f)], sys.path_hooks)
import threading, gc
print(sorted(sys.modules), sorted(vars(threading)))
gc.collect(); print(gc.garbage, sys.exc_info())
""")

for options in ["-I", "-E", "-s", "-S", "-O", "-OO", "-B", "-b", "-u", "-q", "-W error", "-X dev",
                "-X utf8", "-X faulthandler", "-X frozen_modules=on", "-X frozen_modules=off",
                "-I -E -S -s -B", "-X tracemalloc", "-d", "-x"]:
    program("options " + options, """
import sys, threading, json
print(json.dumps([len(sys.modules), sys.flags.optimize, sys.flags.isolated, sys._xoptions]))
""", options.split(), new=(3, 11) if "frozen" in options else (3, 8))

# --- Hooks of the program's own ----------------------------------------------------------------

program("audit hook that prints", """
import sys
def hook(event, args):
    if busy: return
    busy.append(1); print(event); busy.pop()
busy = []
sys.addaudithook(hook)
import threading, json
sys._getframe(); id(5); eval("1+1"); open("/dev/null").close()
def f(): raise ValueError("seen")
t = threading.Thread(target=f); t.start(); t.join()
""")
program("audit hook and an exception", """
import sys
def hook(event, args):
    if busy: return
    busy.append(1); print(event); busy.pop()
busy = []
sys.addaudithook(hook)
def f(n): return f(n - 1) if n else 1 / 0
f(20)
""")
program("audit hook that raises", """
import sys
def hook(event, args):
    if on: raise RuntimeError("no " + event)
on = []
sys.addaudithook(hook)
import threading
on.append(1)
for what in (lambda: open("/dev/null"), lambda: __import__("json"), lambda: sys.audit("x", 1),
             lambda: sys.audit("inquest.step", 1), lambda: compile("1", "x", "eval")):
    try: print(what())
    except RuntimeError as error: print(repr(error))
1 / 0
""")
program("audit hook that ends the process", """
import os, sys
def hook(event, args):
    if event == "sys.excepthook": os._exit(9)
sys.addaudithook(hook)
raise ValueError
""")
program("excepthook", """
import sys
sys.excepthook = lambda *a: print("mine", a[0].__name__, a[1])
raise ValueError("seen")
""")
program("excepthook that raises", """
import sys
def hook(*a): raise KeyError("again")
sys.excepthook = hook
raise ValueError("seen")
""")
program("no excepthook", "import sys\ndel sys.excepthook\nraise ValueError('seen')\n")
program("excepthook that exits", """
import os, sys
sys.excepthook = lambda *a: os._exit(3)
raise ValueError
""")
program("settrace", """
import sys
seen = []
def trace(frame, event, arg):
    seen.append((event, frame.f_code.co_filename, frame.f_code.co_name))
    return trace
sys.settrace(trace)
import threading, multiprocessing.process, shlex
def f(): 1 / 0
threading.settrace(trace)
t = threading.Thread(target=f); t.start(); t.join()
sys.settrace(None)
print(len(set(seen)), sorted({s[1] for s in seen if "lib" not in s[1]}))
""", new=(3, 11))
program("setprofile", """
import sys
seen = []
sys.setprofile(lambda frame, event, arg: seen.append((event, frame.f_code.co_filename)))
import threading, multiprocessing.process, shlex
sys.setprofile(None)
print(sorted(set(seen)))
""", new=(3, 11))
program("import hooks", """
import sys, importlib.abc, importlib.machinery, builtins
class First(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        print("first", name)
class Own(importlib.abc.Loader):
    def create_module(self, spec): return None
    def exec_module(self, module): module.x = 5; print("runs", module.__name__)
class Last(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        print("last", name)
        if name.startswith("made"): return importlib.machinery.ModuleSpec(name, Own())
sys.meta_path.insert(0, First()); sys.meta_path.append(Last())
import made_up, threading
print(made_up.x, type(threading.__loader__).__name__, vars(threading.__loader__).keys())
try: import torch_is_not_here
except ImportError as error: print(error)
sys.meta_path = [f for f in sys.meta_path if isinstance(f, (First, Last))]
import made_again
try: import wave
except ImportError as error: print(error)
real = builtins.__import__
builtins.__import__ = lambda *a, **k: (print("import", a[0]), real(*a, **k))[1]
import made_thrice
""")
program("import hook that takes a watched module", """
import sys, importlib.abc, importlib.machinery
class Own(importlib.abc.Loader):
    def create_module(self, spec): return None
    def exec_module(self, module): module.excepthook = "my own"
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "threading": return importlib.machinery.ModuleSpec(name, Own())
        if name == "multiprocessing.process": raise ImportError("not today")
sys.meta_path.insert(0, Finder())
import threading
print(threading.excepthook)
sys.meta_path.append(sys.meta_path.pop(0))
try: import multiprocessing.process
except ImportError as error: print(error)
""", options=["-S"])
program("loaders that raise", """
import sys, importlib.machinery
class Odd:
    def create_module(self, spec): return None
    def __getattribute__(self, name):
        if name == "exec_module": raise raised[0]
        return object.__getattribute__(self, name)
class OfNoClass(Odd):
    __class__ = property(lambda self: 1 / 0)
class Last:
    def find_spec(name, path=None, target=None):
        if name == "torch": return importlib.machinery.ModuleSpec(name, kind())
sys.meta_path.append(Last)
for kind in Odd, OfNoClass:
    for error in ValueError, AttributeError, KeyboardInterrupt, SystemExit:
        raised = [error("odd")]
        try: import torch
        except BaseException as caught: print(type(caught).__name__, caught)
""")
program("the hook of threads, called by hand", """
import threading
hook = threading.excepthook
for given in (), (None,), ((),), ((1, 2, 3, 4),), ((ValueError,),), (5,), ((SystemExit, 1, 2, 3),):
    try: print(hook(*given))
    except BaseException as caught: print(type(caught).__name__, caught)
try: hook(args=1)
except TypeError as caught: print(caught)
args = threading.ExceptHookArgs((ValueError, ValueError("x"), None, None))
print(hook(args))
""", new=(3, 9))
program("reload", """
import importlib, sys, threading, importlib.util
importlib.reload(threading); importlib.reload(threading)
for name in "threading", "multiprocessing.process": print(importlib.util.find_spec(name).name)
def f(): 1 / 0
t = threading.Thread(target=f); t.start(); t.join()
""", options=["-W", "ignore"])
program("lazy loader", """
import importlib.util, sys
spec = importlib.util.find_spec("multiprocessing.process")
spec.loader = importlib.util.LazyLoader(spec.loader)
module = importlib.util.module_from_spec(spec)
sys.modules["multiprocessing.process"] = module
spec.loader.exec_module(module)
print(module.current_process().name)
""")

program("what finders have", """
import copy, sys
for finder in sys.meta_path:
    assert isinstance(finder.__module__, str) and finder.__class__ and repr(finder)
    assert hash(finder) and copy.copy(finder) and finder.__dict__ and finder.find_spec
copy.deepcopy(sys.meta_path)
print(len({type(finder) for finder in sys.meta_path}))
print([f for f in sys.meta_path if f.__module__.startswith("_frozen_importlib")])
""")

# --- Modules of a framework's name that are none -----------------------------------------------

for options in [], ["-S"], ["-I", "-S"]:
    program("a framework that imports nothing " + " ".join(options), """
import sys
before = set(sys.modules)
class Finder:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "triton", "jax"):
            return type(sys.__spec__)(name, Finder, is_package=True)
    def create_module(spec): return None
    def exec_module(module): print(module.__name__, sorted(set(sys.modules) - before))
sys.meta_path.append(Finder)
import torch.version, torch.optim.optimizer, torch.serialization, torch._dynamo.utils
import torch.distributed.distributed_c10d, torch.utils._filelock, triton.compiler.compiler
import jax.version, jax._src.compiler
print(sorted(set(sys.modules) - before))
""", options)

program("torch is not there", "import torch\n")
program("no torch, twice", """
for _ in 1, 2:
    try: import torch.distributed
    except ImportError as error: print(error)
import traceback
try: import torch
except ImportError: traceback.print_exc()
""")
program("another torch", """
import os, sys
os.makedirs("other/torch/_dynamo", exist_ok=True)
os.makedirs("other/torch/utils/data", exist_ok=True)
for name, text in [("__init__", "x = 1"), ("_dynamo/__init__", ""), ("_dynamo/callback", "y = 2"),
                   ("utils/__init__", ""), ("utils/data/__init__", ""),
                   ("utils/data/dataloader", "z = 3"), ("broken", "def f(): 1 / 0\\nf()"),
                   ("wrong", "a b")]:
    with open("other/torch/%s.py" % name, "w") as file: file.write(text)
sys.path.insert(0, "other")
import torch, torch._dynamo.callback, torch.utils.data.dataloader
print(torch.x, sorted(n for n in vars(torch) if n[:2] != "__"), torch._dynamo.callback.y)
import traceback
for name in "broken", "wrong":
    try: __import__("torch." + name)
    except (ZeroDivisionError, SyntaxError): traceback.print_exc()
import torch.broken
""")
program("another torch that fails", """
import os, sys
os.makedirs("bad/torch", exist_ok=True)
with open("bad/torch/__init__.py", "w") as file: file.write("import sys\\nraise OSError('libx')\\n")
sys.path.insert(0, "bad")
import torch
""")

# --- Ends ---------------------------------------------------------------------------------------

for end in ["None", "3", "-1", "256", "'text'", "'t\\udc80xt'", "[1]", "object", "True", "2.5"]:
    program("sys.exit(%s)" % end, "import sys\nsys.exit(%s)\n" % end)
program("SystemExit raised", "raise SystemExit(4)\n")
program("SystemExit in a thread", """
import sys, threading
t = threading.Thread(target=lambda: sys.exit(5)); t.start(); t.join()
""")
program("os._exit", "import os\nprint('x', flush=True)\nos._exit(7)\n")
program("abort", "import os\nos.abort()\n")
program("killed", "import os\nos.kill(os.getpid(), 15)\n")
program("interrupted", "import os, signal, time\nos.kill(os.getpid(), 2)\ntime.sleep(60)\n")
program("interrupt raised", "def f(): raise KeyboardInterrupt('x')\nf()\n")
program("alarm", """
import signal, time
def handler(*a): raise TimeoutError("late")
signal.signal(signal.SIGALRM, handler); signal.alarm(1)
while True: pass
""")
program("chained", """
def f():
    try: 1 / 0
    except ZeroDivisionError as error: raise ValueError("outer") from error
try: f()
except ValueError: {}["inner"]
""")
program("__str__ that raises", """
class Odd(Exception):
    def __str__(self): raise RuntimeError("no text")
raise Odd()
""")
program("__str__ that recurses", """
class Odd(Exception):
    def __str__(self): return str(self)
raise Odd()
""")
program("__str__ of another type", """
class Odd(Exception):
    def __str__(self): return 5
raise Odd()
""")
program("huge text", "raise ValueError('x' * 3000000)\n")
program("surrogates", "raise ValueError('a\\udc80b\\ud800')\n")
program("odd names", """
E = type("E\\udc80", (Exception,), {"__module__": 5})
raise E("\\0 nul")
""")
program("recursion", "def f(): f()\nf()\n")
program("group", "raise ExceptionGroup('g', [ValueError(1), KeyError(2)])\n", new=(3, 11))
program("notes", "e = ValueError('x')\ne.add_note('n')\nraise e\n", new=(3, 11))
program("syntax", "def f(:\n")
program("base", "class B(BaseException): pass\nraise B('b')\n")
program("in __del__ and at exit", """
import atexit
class D:
    def __del__(self): 1 / 0
D()
atexit.register(lambda: {}["late"])
""")
program("closed stderr", "import sys\nsys.stderr.close()\nraise ValueError\n")
program("no stderr", "import sys\nsys.stderr = None\nraise ValueError\n")
program("threads", """
import threading
def f(): raise ValueError("in a thread")
for _ in range(3):
    t = threading.Thread(target=f, name="worker"); t.start(); t.join()
threading.excepthook = lambda a: print("mine", a.exc_type, a.thread.name)
t = threading.Thread(target=f, name="worker"); t.start(); t.join()
threading.excepthook = None
t = threading.Thread(target=f, name="worker"); t.start(); t.join()
import _thread, time
_thread.start_new_thread(f, ()); time.sleep(0.2)
""", new=(3, 10))

# --- Environments, children ---------------------------------------------------------------------

program("cleared environment", """
import os, subprocess, sys
os.environ.clear()
import threading
print(subprocess.run([sys.executable, "-c", "import os; print(sorted(os.environ))"],
                     stdout=subprocess.PIPE, env={}).stdout)
os.environ["LD_PRELOAD"] = ""
os.execv(sys.executable, [sys.executable, "-S", "-c", "import sys; sys.exit(6)"])
""")
program("fork", """
import os, sys, threading
def child(code):
    pid = os.fork()
    if not pid:
        sys.audit("inquest.step", 1)
        if code: os._exit(code)
        raise ValueError("in the child")
    return os.waitpid(pid, 0)[1]
print(child(5), child(0), flush=True)
t = threading.Thread(target=lambda: print(child(6))); t.start(); t.join()
""", options=["-W", "ignore"])
for method in "fork", "spawn", "forkserver":
    program("multiprocessing " + method, """
import multiprocessing as mp, os, sys
def fails(x): raise ValueError(x)
def leaves(x): sys.exit(x)
def square(x): return x * x
class Own(mp.Process):
    def run(self): print("own", flush=True); {}["own"]
if __name__ == "__main__":
    mp.set_start_method(%r)
    for f in fails, leaves:
        p = mp.Process(target=f, args=(3,), name="child"); p.start(); p.join(); print(p.exitcode)
    p = Own(name="own"); p.start(); p.join(); print(p.exitcode)
    with mp.Pool(2) as pool:
        print(pool.map(square, range(5)))
        try: pool.apply(fails, ("pool",))
        except ValueError as error: print(error)
""" % method, options=["-W", "ignore"])
program("setsid", """
import os, sys
pid = os.fork()
if not pid:
    os.setsid()
    if os.fork(): os._exit(0)
    sys.audit("inquest.note", "orphan")
    os._exit(0)
print(os.waitpid(pid, 0)[1])
""", options=["-W", "ignore"])
program("asyncio", """
import asyncio
async def f():
    await asyncio.sleep(0)
    raise ValueError("async")
async def main(): await asyncio.gather(f(), asyncio.to_thread(print, "x"))
asyncio.run(main())
""", new=(3, 9))
program("two interpreters", """
try: import _interpreters as two
except ImportError: import _xxsubinterpreters as two
run = getattr(two, "run_string", None) or two.exec
for _ in range(2):
    other = two.create()
    try:
        run(other, "import sys, threading; sys.audit('inquest.step', 3); print(len(sys.meta_path))")
        print(run(other, "import json; 1 / 0") is None)
    except Exception as error:
        print(type(error).__name__)
    two.destroy(other)
""", options=["-W", "ignore"])
program("stdin is read", "import sys\nprint(sys.stdin.read())\n", stdin="line\nline\n")
program("inspect", "1 / 0\n", ["-i"], stdin="print(5)\n1/0\nraise SystemExit(8)\n")
program("profile", "import cProfile, threading\ncProfile.run('pass', '/dev/null')\nprint('x')\n")
program("many modules", """
import argparse, ast, asyncio, bz2, collections, concurrent.futures, csv, ctypes, dataclasses
import decimal, email, enum, functools, http.client, inspect, io, json, logging, multiprocessing
import pdb, pickle, queue, random, re, sched, select, shelve, socket, sqlite3, ssl, statistics
import subprocess, sys, tarfile, tempfile, timeit, traceback, unittest, urllib.request, uuid
print(len(sys.modules))
""")
