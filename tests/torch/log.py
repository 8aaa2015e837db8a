# SPDX-License-Identifier: Apache-2.0
"""What a job and its agent have said so far, and when."""

import json
import re
import threading
import time

# Ray's driver says what its workers say, and first who that was, in colours.
PREFIX = re.compile(r"^(\x1b\[\d+m)?\(\w+ pid=\d+(, ip=[\d.]+)?\)(\x1b\[0m)? ")


class Log:
    """Follows a file until it is closed; each line has the time at which it was there."""

    def __init__(self, path):
        self.path, self.lines, self.over = path, [], threading.Event()
        self.began = time.monotonic()
        threading.Thread(target=self.follow, daemon=True).start()

    def follow(self):
        with open(self.path, errors="replace") as file:
            part = ""
            while not self.over.wait(0.2):
                part += file.read()
                *whole, part = part.split("\n")
                now = time.monotonic()
                self.lines += [(now, PREFIX.sub("", line)) for line in whole]

    def close(self):
        self.over.set()

    def last_word(self):
        """When a rank last said something; what the libraries in it repeat does not count."""
        for when, line in reversed(self.lines):
            if line.startswith("[rank "):
                return when
        return self.began

    def steps(self, rank):
        """How many a rank has made."""
        return sum(line.startswith(f"[rank {rank}] step ") for _, line in list(self.lines))

    def joined_at(self):
        """When the latest of those that have come so far came."""
        return max((when for when, line in list(self.lines) if line.endswith(" joins")),
                   default=self.began)

    def verdicts(self):
        """What the agent said in the log: when, and the JSON of it."""
        said = []
        for when, line in list(self.lines):
            if line.startswith("INQUEST_VERDICT "):
                said.append((when, json.loads(line.partition(" ")[2])))
        return said

    def joined(self):
        """The process of each rank that has said that it is about to join the others."""
        found = {}
        for _, line in list(self.lines):
            match = re.search(r"\[rank (\d+)\] process (\d+) joins", line)
            if match:
                found[int(match[1])] = int(match[2])
        return found
