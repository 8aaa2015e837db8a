# SPDX-License-Identifier: Apache-2.0
"""What unittest finds out, in lines that suites.py reads: OUTCOME name kind."""
import unittest


class Told(unittest.TestResult):
    def stopTest(self, test):
        bad = {one: kind for kind in ("failures", "errors", "skipped")
               for one, _ in getattr(self, kind)}
        print("\nOUTCOME %s %s" % (test.id().split(".")[-1], bad.get(test, "ok")), flush=True)


class Runner:
    def run(self, test):
        result = Told()
        test.run(result)
        return result
