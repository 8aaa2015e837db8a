# SPDX-License-Identifier: Apache-2.0
SH_TESTS += %D%/models.test
EXTRA_DIST += %D%/play.py %D%/memory.pml %D%/writer.pml %D%/claim.pml %D%/board-read.pml \
	%D%/slot.pml %D%/board.pml %D%/shared.pml %D%/lane.pml %D%/pinned.pml %D%/order.pml \
	%D%/mark.pml %D%/fatal.pml %D%/string.pml %D%/span.pml %D%/census.pml

# Every model, and every mutant of it: some minutes. Wants spin.
check-models:
	CC='$(CC)' python3 $(srcdir)/%D%/play.py $(srcdir)
.PHONY: check-models
