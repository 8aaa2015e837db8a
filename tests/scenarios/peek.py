# SPDX-License-Identifier: Apache-2.0
"""
peek.py: law 5. While a job hangs, attach runs under strace. It may neither trace nor signal the
job, nor open or map anything for writing, be it the job's or not, nor lock it.
"""

import re
import shutil
import subprocess
import sys

from examine import Play, Wrong, base_seed, inquest

CALLS = "ptrace,process_vm_writev,kill,tkill,tgkill,pidfd_send_signal,rt_sigqueueinfo," \
    "open,openat,openat2,creat,unlink,unlinkat,rename,truncate,ftruncate,mmap,fcntl," \
    "clone,clone3,fork,vfork"
NEVER = re.compile(r"\b(ptrace|process_vm_writev|pidfd_send_signal|rt_sigqueueinfo|creat|unlink|"
                   r"unlinkat|rename|truncate|ftruncate)\(")
SIGNALS = re.compile(r"\bt?g?kill\((\d+)")
BIRTHS = re.compile(r"\b(?:clone|clone3|fork|vfork)\(.*= (\d+)$|"
                    r"<\.\.\. (?:clone|clone3|fork|vfork) resumed>.*= (\d+)$")
WRITES = re.compile(r"\bopen(?:at|at2)?\(.*\b(?:O_WRONLY|O_RDWR|O_CREAT|O_TRUNC)\b")
SHARED = re.compile(r"\bmmap\(.*PROT_WRITE.*MAP_SHARED(?!\|MAP_ANONYMOUS)")
LOCKS = re.compile(r"\bfcntl\(.*\bF_(?:OFD_)?SETLKW?\b")


def look(lines):
    """The lines that disturb the target. Ending a helper of its own is nobody else's business."""
    own = {pid for line in lines for birth in BIRTHS.finditer(line) for pid in birth.groups()}
    for line in lines:
        killed = SIGNALS.search(line)
        if NEVER.search(line) or (killed and killed.group(1) not in own) or \
                (WRITES.search(line) and '"/dev/null"' not in line) or \
                SHARED.search(line) or LOCKS.search(line):
            yield line


def try_the_eye():
    """What must be seen is seen."""
    planted = ['7 kill(8, SIGTERM) = 0', '7 ptrace(PTRACE_SEIZE, 8) = 0',
               '7 openat(3, "1.2.1.ring", O_RDWR|O_CLOEXEC) = 4',
               '7 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 4, 0) = 0x7f',
               '7 fcntl(4, F_SETLK, {l_type=F_WRLCK}) = 0']
    fine = ['7 clone(child_stack=NULL) = 9', '7 kill(9, SIGKILL) = 0',
            '7 openat(AT_FDCWD, "/proc/8/stat", O_RDONLY|O_CLOEXEC) = 4',
            '7 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f',
            '7 fcntl(4, F_GETLK, {l_type=F_UNLCK}) = 0']
    if list(look(planted)) != planted or list(look(fine)):
        raise Wrong("the eye is blind or sees ghosts")


def main():
    if not shutil.which("strace"):
        print("strace is not here")
        return 77
    try_the_eye()
    play = Play("host-stall")
    try:
        play.draw(base_seed())
        play.start()
        play.wait_for_truth()
        trace = play.folder + "/trace"
        done = subprocess.run(["strace", "-f", "-o", trace, "-e", "trace=" + CALLS, inquest,
                               "attach", "train", "--json"], env=play.env, capture_output=True)
        with open(trace, errors="replace") as file:
            lines = file.read().splitlines()
        if done.returncode not in (0, 1, 4) or len(lines) < 20:
            print(f"strace does not work here: {done.stderr.decode()[-200:]}")
            return 77
        seen = list(look(lines))
        print("\n".join(seen) or f"{len(lines)} calls, none of which disturbs anybody")
        return 1 if seen else 0
    finally:
        play.end()
        play.clean()


if __name__ == "__main__":
    sys.exit(main())
