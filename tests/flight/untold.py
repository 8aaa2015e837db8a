# SPDX-License-Identifier: Apache-2.0
"""
Dumps that leave something out: what is not said is not taken for what is not so. `untold.py WORD...`
plays those with a word in the name.
"""
import sys

from truth import late, play, truth, write_each


def lose(keys, *ranks):
    """Returns a change by which the entries of these ranks have no such keys."""
    def change(rank, dump):
        for entry in dump["entries"] if rank in ranks else []:
            for key in keys:
                del entry[key]
    return change


# -- what an operation was ---

@truth("one dump has no types of tensors", "host-stall", [3], [3])
def _(at):
    write_each(late(), at, lose(["input_dtypes", "output_dtypes"], 5))


@truth("one dump has no sizes of tensors", "host-stall", [3], [3])
def _(at):
    write_each(late(), at, lose(["input_sizes", "output_sizes"], 5))


@truth("one dump has no names of operations", "host-stall", [3], [3])
def _(at):
    write_each(late(), at, lose(["profiling_name"], 5))


sys.exit(1 if play(sys.argv[1:]) else 0)
