# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own tests of torch.distributed, as its wheel has them, on gloo with two processes."""
import os
import tempfile
import unittest

os.environ.update(BACKEND="gloo", WORLD_SIZE="2", INIT_METHOD="file:///")
os.environ.setdefault("TEMP_DIR", tempfile.mkdtemp())
for folder in "barrier", "test_dir", "init_dir":
    os.makedirs(os.path.join(os.environ["TEMP_DIR"], folder), exist_ok=True)

from torch.testing._internal.distributed.distributed_test import (  # noqa: E402
    DistributedTest, TestDistBackend)


class TestGloo(TestDistBackend, DistributedTest._DistTestBase):
    def setUp(self):
        super().setUp()
        self._spawn_processes()


class Told(unittest.TestResult):
    """A line for each test: its name and outcome."""

    def stopTest(self, test):
        bad = {one: kind for kind in ("failures", "errors", "skipped")
               for one, _ in getattr(self, kind)}
        print("\nOUTCOME %s %s" % (test.id().split(".")[-1], bad.get(test, "ok")), flush=True)


class Runner:
    def run(self, test):
        result = Told()
        test.run(result)
        return result


if __name__ == "__main__":
    unittest.main(testRunner=Runner)
