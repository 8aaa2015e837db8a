# SPDX-License-Identifier: Apache-2.0
#
# Stacks of real processes.
check_PROGRAMS += %D%/blocked %D%/blocked-fp %D%/blocked-bare

%C%_blocked_SOURCES = %D%/blocked.c
%C%_blocked_CFLAGS = $(PLAIN_CFLAGS) -O2 -fomit-frame-pointer -pthread
%C%_blocked_fp_SOURCES = %D%/blocked.c
%C%_blocked_fp_CFLAGS = $(PLAIN_CFLAGS) -O2 -fno-omit-frame-pointer -pthread
# As a statically linked one: without a table to find unwind information by.
%C%_blocked_bare_SOURCES = %D%/blocked.c
%C%_blocked_bare_CFLAGS = $(PLAIN_CFLAGS) -O2 -fomit-frame-pointer -pthread
%C%_blocked_bare_LDFLAGS = -Wl,--no-eh-frame-hdr

# libunwind's own ptrace accessors come with its headers; they are what ours are compared with.
check_PROGRAMS += %D%/walk
%C%_walk_SOURCES = %D%/walk.c
%C%_walk_CPPFLAGS = $(AM_CPPFLAGS) $(LIBUNWIND_CFLAGS)
%C%_walk_LDADD = -lunwind-ptrace $(PROC_FLOORS)

# Takes stacks as attach does, and prints what is in the exhibits.
check_PROGRAMS += %D%/take
%C%_take_SOURCES = %D%/take.c
%C%_take_LDADD = $(EVIDENCE_FLOORS)

# Processes in trouble, and one in every kind of system call that blocks.
check_PROGRAMS += %D%/plight %D%/blocking
%C%_plight_SOURCES = %D%/plight.c
%C%_plight_CFLAGS = $(PLAIN_CFLAGS) -pthread
%C%_blocking_SOURCES = %D%/blocking.c
%C%_blocking_CFLAGS = $(PLAIN_CFLAGS) -pthread
%C%_blocking_LDADD = -lrt

EXTRA_DIST += %D%/takes.py
SH_TESTS += %D%/native.test %D%/peek.test %D%/stop.test %D%/trouble.test \
	%D%/locked.test %D%/held.test
ASAN_TESTS += %D%/peek.test %D%/stop.test %D%/trouble.test
ASAN_TESTS += %D%/native.test

check_PROGRAMS += %D%/core-show
%C%_core_show_SOURCES = %D%/core-show.c
%C%_core_show_LDADD = $(PROC_FLOORS)
SH_TESTS += %D%/core.test %D%/core-diagnose.test %D%/tree.test
ASAN_TESTS += %D%/core.test

# Python's stacks.
check_PROGRAMS += %D%/pystack
%C%_pystack_SOURCES = %D%/pystack.c
%C%_pystack_LDADD = $(PROC_FLOORS)
check_PROGRAMS += %D%/python-rows
%C%_python_rows_SOURCES = %D%/python-rows.c
%C%_python_rows_LDADD = $(STACK_FLOORS)
SH_TESTS += %D%/python.test %D%/python-layout.test %D%/python-places.test
ASAN_TESTS += %D%/python.test %D%/python-places.test
EXTRA_DIST += \
	%D%/python-embed.c \
	%D%/python-hang.py \
	%D%/python-headers.c \
	%D%/pythons.py

# A job without anything of ours, that hangs in many ways; its PyTorch is made for it.
check_LTLIBRARIES += %D%/libtorch_cpu.la
tests_stack_libtorch_cpu_la_SOURCES = %D%/eight/wire.c
tests_stack_libtorch_cpu_la_CFLAGS = $(PLAIN_CFLAGS)
tests_stack_libtorch_cpu_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
SH_TESTS += %D%/eight.test
EIGHT_TORCH = %D%/eight/site-packages/torch
EXTRA_DIST += \
	%D%/eight/train.py \
	$(EIGHT_TORCH)/_dynamo/convert_frame.py \
	$(EIGHT_TORCH)/_dynamo/eval_frame.py \
	$(EIGHT_TORCH)/_inductor/codecache.py \
	$(EIGHT_TORCH)/_inductor/compile_fx.py \
	$(EIGHT_TORCH)/_inductor/graph.py \
	$(EIGHT_TORCH)/distributed/distributed_c10d.py \
	$(EIGHT_TORCH)/serialization.py \
	$(EIGHT_TORCH)/utils/_filelock.py \
	$(EIGHT_TORCH)/utils/data/_utils/fetch.py \
	$(EIGHT_TORCH)/utils/data/dataloader.py
