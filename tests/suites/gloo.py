# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own tests of torch.distributed, as its wheel has them, on gloo with two processes."""
import os
import tempfile
import unittest

os.environ.update(BACKEND="gloo", WORLD_SIZE="2", INIT_METHOD="file:///")
os.environ.setdefault("TEMP_DIR", tempfile.mkdtemp())
for folder in "barrier", "test_dir", "init_dir":
    os.makedirs(os.path.join(os.environ["TEMP_DIR"], folder), exist_ok=True)

from outcomes import Runner  # noqa: E402
from torch.testing._internal.distributed.distributed_test import (  # noqa: E402
    DistributedTest, TestDistBackend)


class TestGloo(TestDistBackend, DistributedTest._DistTestBase):
    def setUp(self):
        super().setUp()
        self._spawn_processes()


if __name__ == "__main__":
    unittest.main(testRunner=Runner)
