# SPDX-License-Identifier: Apache-2.0
"""Programs whose ranks do not do the same, by their data or by what they were told."""

import json
import os
import socket
import threading
import time

from scenarios import AT, LENGTH, ROWS, BadRecord, Fewer, Scenario
from starts import Start


class EmptyStream(Start, Fewer):
    """One rank's stream has nothing at all: it is done before the first step of the others."""

    ranks = 8
    first = 7
    settings = dict(Start.settings, rounds=1)
    truth = {"class": "empty-shard", "family": "shards"}

    def batches(self, rank, who):
        return 0 if rank == who else Scenario.batches(self, rank, who)


class GroupOrder(Start):
    """One rank makes the same groups in another order."""

    script = "mesh.py"
    ranks = 6
    truth = {"class": "order-inversion", "family": "program", "cause": "group-creation"}

    def prepare(self, folder, who, ranks, warm):
        os.mkdir(os.path.join(folder, "mesh"))
        for rank in range(ranks):
            axes = ["data", "model"] if rank == who else ["model", "data"]
            with open(os.path.join(folder, "mesh", f"{rank}.json"), "w") as file:
                json.dump(axes, file)
        return {}


class SkippedOp(Start):
    """One rank's batch has nothing for one of the experts, whose gradient it does not sum."""

    script = "experts.py"
    ranks = 6
    first = 4
    missing = 1
    truth = {"class": "collective-mismatch", "family": "program", "cause": "skipped"}

    def batch(self, draw, rank, number, who):
        tokens = list(range(4, 128))
        if rank == who and number == AT:
            tokens = [token for token in tokens if token % 4 != self.missing]
        rows = [[draw.choice(tokens) for _ in range(LENGTH)] for _ in range(ROWS)]
        for expert in range(4):
            if rank != who or number != AT or expert != self.missing:
                rows[0][expert] = 4 + expert  # each expert has at least this one
        return rows


class SkippedLast(SkippedOp):
    """It is the last of its step."""

    missing = 3


class UnprobedSkippedOp(SkippedOp):
    """
    Of stacks alone: who stands in another call than all others is seen, and not that it has left
    one out.
    """

    probed = False
    truth = {"class": "collective-mismatch", "family": "program"}


class SkippedSend(Start):
    """A stage of a pipeline does not pass on a part of a batch."""

    script = "pipeline.py"
    ranks = 4
    settings = dict(Start.settings, parts=2)
    truth = {"class": "collective-mismatch", "family": "program", "cause": "skipped"}

    def batch(self, draw, rank, number, who):
        rows = super().batch(draw, rank, number, who)
        if rank == who and number == AT:
            rows[0][5] = 0
        return rows

    def draw_who(self, draw, ranks):
        """One that has others before and behind it."""
        return draw.randrange(1, ranks - 1)


class SkippedSendOfMany(SkippedSend):
    """
    A step that is longer than what a ring keeps of sends and receives: what is usual cannot be
    seen, and so no more than that two wait for each other, one of whom is named with the other.
    """

    settings = dict(Start.settings, parts=4)
    weaker = [{"class": "order-inversion", "cause": None, "culprits": []}]


class RemoteCompile(Start):
    """A server takes its time to answer one rank's compiler; then all goes on."""

    script = "cached.py"
    passes = True
    answers_s = 60
    settings = dict(Start.settings, pace=0.2)
    truth = {"class": "compile-skew", "family": "compile-divergence"}
    weaker = [{"class": "compile-stuck"}]
    outlooks = ["wait", "unknown"]

    def prepare(self, folder, who, ranks, warm):
        self.listening = socket.socket()
        self.listening.bind(("127.0.0.1", 0))
        self.listening.listen()
        port = self.listening.getsockname()[1]
        return {"servers": [port if rank == who else 0 for rank in range(ranks)]}

    def deed(self, play):
        connection, _ = self.listening.accept()
        play.deeds_at = time.monotonic()
        threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        """The first one late, all later ones at once."""
        time.sleep(self.answers_s)
        while True:
            connection.sendall(b"compiled")
            connection.close()
            connection, _ = self.listening.accept()

    def let_go(self):
        self.listening.close()


class UnprobedRemoteCompile(RemoteCompile):
    probed = False


class BehindBarrier(Start, BadRecord):
    """
    An exception on its way out waits at a barrier, which the others do not come to. Either what
    stands there is told (another operation than the others'), or why it does; the exception in any
    case.
    """

    script = "careful.py"
    truth = {"class": "collective-mismatch", "family": "program", "cause": None}
    weaker = [{"class": "rank-death", "family": "rank-death", "cause": "exception"}]
    tells = ["ValueError"]


class UnprobedBehindBarrier(BehindBarrier):
    probed = False


SCENARIOS = {
    "empty-stream": EmptyStream,
    "group-order": GroupOrder,
    "skipped-op": SkippedOp,
    "skipped-last": SkippedLast,
    "skipped-send": SkippedSend,
    "skipped-send-of-many": SkippedSendOfMany,
    "remote-compile": RemoteCompile,
    "behind-barrier": BehindBarrier,
    "unprobed-skipped-op": UnprobedSkippedOp,
    "unprobed-remote-compile": UnprobedRemoteCompile,
    "unprobed-behind-barrier": UnprobedBehindBarrier,
}
