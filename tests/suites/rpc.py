# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own tests of remote procedure calls, as its wheel has them, with four processes.

    rpc.py CLASS SHARE      every SHARE-th test of that class
    rpc.py                  the classes
"""
import sys
import unittest

from outcomes import Runner
from torch.testing._internal.distributed import rpc_utils
from torch.testing._internal.distributed.rpc.tensorpipe_rpc_agent_test_fixture import (
    TensorPipeRpcAgentTestFixture)

CLASSES = rpc_utils.generate_tests(
    "", TensorPipeRpcAgentTestFixture, rpc_utils.GENERIC_TESTS + rpc_utils.TENSORPIPE_TESTS,
    __name__)
globals().update(CLASSES)

if __name__ == "__main__":
    if len(sys.argv) < 3:
        print(*CLASSES)
    else:
        names = unittest.TestLoader().getTestCaseNames(CLASSES[sys.argv[1]])
        Runner().run(unittest.TestSuite(
            CLASSES[sys.argv[1]](name) for name in names[::int(sys.argv[2])]))
