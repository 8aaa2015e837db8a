# SPDX-License-Identifier: Apache-2.0
"""Stores of torch.distributed, by their public functions: its wheel has no tests of them."""
import datetime
import multiprocessing
import os
import tempfile
import threading
import unittest

import torch.distributed as dist
from outcomes import Runner

SOON = datetime.timedelta(milliseconds=200)
LATE = datetime.timedelta(seconds=60)


class Shared:
    """What every store promises; `store` and `another` are two ends of one."""

    def test_what_was_set_is_got(self):
        self.store.set("key", "value")
        self.assertEqual(self.another.get("key"), b"value")

    def test_bytes_of_any_value(self):
        self.store.set("bytes", bytes(range(256)))
        self.assertEqual(self.another.get("bytes"), bytes(range(256)))

    def test_counts(self):
        self.assertEqual(self.store.add("count", 3), 3)
        self.assertEqual(self.another.add("count", -1), 2)

    def test_counts_of_many_threads(self):
        threads = [threading.Thread(target=lambda: [self.store.add("n", 1) for _ in range(50)])
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.store.add("n", 0), 200)

    def test_waits_for_a_key(self):
        threading.Timer(0.3, lambda: self.another.set("late", "come")).start()
        self.store.wait(["late"], LATE)
        self.assertEqual(self.store.get("late"), b"come")

    def test_waits_in_vain(self):
        with self.assertRaises(RuntimeError):
            self.store.wait(["never"], SOON)

    def test_looks_without_waiting(self):
        self.assertFalse(self.store.check(["none"]))
        self.store.set("some", "1")
        self.assertTrue(self.another.check(["some"]))

    def test_compares_and_sets(self):
        self.store.set("state", "old")
        self.assertEqual(self.another.compare_set("state", "other", "new"), b"old")
        self.assertEqual(self.another.compare_set("state", "old", "new"), b"new")

    def test_prefixes_keep_apart(self):
        one, two = dist.PrefixStore("one", self.store), dist.PrefixStore("two", self.another)
        one.set("key", "1")
        two.set("key", "2")
        self.assertEqual((one.get("key"), two.get("key")), (b"1", b"2"))


class HashStore(Shared, unittest.TestCase):
    def setUp(self):
        self.store = self.another = dist.HashStore()


class FileStore(Shared, unittest.TestCase):
    def setUp(self):
        path = os.path.join(tempfile.mkdtemp(), "store")
        self.store, self.another = dist.FileStore(path, 2), dist.FileStore(path, 2)


class TCPStore(Shared, unittest.TestCase):
    def setUp(self):
        self.store = dist.TCPStore("127.0.0.1", 0, None, True, LATE, wait_for_workers=False)
        self.another = dist.TCPStore("127.0.0.1", self.store.port, None, False, LATE)

    def test_keys_go(self):
        self.store.set("gone", "1")
        self.assertTrue(self.another.delete_key("gone"))
        self.assertFalse(self.store.check(["gone"]))

    def test_other_processes(self):
        context = multiprocessing.get_context("spawn")
        others = [context.Process(target=count, args=(self.store.port,)) for _ in range(2)]
        for other in others:
            other.start()
        for other in others:
            other.join()
        self.assertEqual([other.exitcode for other in others], [0, 0])
        self.assertEqual(self.store.add("all", 0), 20)

    def test_one_dies_that_is_connected(self):
        other = multiprocessing.get_context("spawn").Process(target=die, args=(self.store.port,))
        other.start()
        other.join()
        self.assertEqual(other.exitcode, -9)
        self.assertEqual(self.another.get("last"), b"word")


def count(port):
    store = dist.TCPStore("127.0.0.1", port, None, False, LATE)
    for _ in range(10):
        store.add("all", 1)


def die(port):
    dist.TCPStore("127.0.0.1", port, None, False, LATE).set("last", "word")
    os.kill(os.getpid(), 9)


if __name__ == "__main__":
    unittest.main(testRunner=Runner)
