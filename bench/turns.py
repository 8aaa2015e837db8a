# SPDX-License-Identifier: Apache-2.0
"""
turns.py: two processes that do the same, one with the probe, take turns, in both orders, so that
whatever else the machine does, it does to both. A figure is the median over all turns of the ratio
in one turn; beside it stand the median difference and the quartiles of the ratio.
"""

import statistics

TURNS = 40


def show(name, value, unit, ratio=None, bar=None, beside=""):
    """As bench/figure.h shows one."""
    held = value if ratio is None else ratio
    print("%-40s %9.2f  %-9s%s%s%s" % (
        name, value, unit, " %7.4f x" % ratio if ratio else " " * 10,
        "  <= %.3f  %s" % (bar, "ok" if held <= bar else "OVER") if bar else "", beside),
        flush=True)


def take_turns(bare, probed, *what, turns=TURNS):
    """[(ns without the probe, ns with it)], by each one's time()."""
    took = []
    for turn in range(turns):
        first, second = (bare, probed) if turn % 2 else (probed, bare)
        one = {first: first.time(*what)}
        one[second] = second.time(*what)
        took.append((one[bare], one[probed]))
    return took


def median_ratio(turns):
    return statistics.median(probed / bare for bare, probed in turns)


def compare(name, turns, bar=None, beside=""):
    ratios = [probed / bare for bare, probed in turns]
    low, _, high = statistics.quantiles(ratios, n=4)
    cost = statistics.median(probed - bare for bare, probed in turns)
    show(name, statistics.median(bare for bare, _ in turns) / 1e3, "us", median_ratio(turns), bar,
         "  %+.2f us, quartiles %.3f..%.3f%s" % (cost / 1e3, low, high, beside))


def compare_pairs(name, pairs, bar=None):
    """Turns of several pairs, each of new processes, which differ by where their memory lies."""
    medians = sorted(map(median_ratio, pairs))
    compare(name, sum(pairs, []), bar, "; pairs %.4f..%.4f" % (medians[0], medians[-1]))
