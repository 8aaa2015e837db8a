#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""taken.py FILE COMMAND...: runs it, its stdout and stderr go to FILE; prints "STATUS MIB SECONDS":
how it ended (128 + signal), the most memory that it held, how long it took."""
import os
import sys
import time

begun = time.monotonic()
pid = os.fork()
if pid == 0:
    fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(fd, 1)
    os.dup2(fd, 2)
    os.execvp(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(pid, 0)
code = os.waitstatus_to_exitcode(status)
print(code if code >= 0 else 128 - code, usage.ru_maxrss // 1024,
      int(time.monotonic() - begun))
