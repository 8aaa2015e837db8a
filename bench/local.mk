# SPDX-License-Identifier: Apache-2.0
#
# `make bench` runs each of $(BENCHES): programs (add them to EXTRA_PROGRAMS too) or scripts, each
# of which prints its figures with their ratios and bars, and ends non-zero where one is over its
# bar (BENCH_REPORT=1 only prints). Never part of check.

bench: all
	@$(MAKE) $(AM_MAKEFLAGS) run-benches
run-benches: $(BENCHES)
	@srcdir='$(abs_srcdir)' top_builddir='$(abs_builddir)' INQUEST='$(abs_builddir)/inquest' \
		sh $(srcdir)/%D%/all.sh $(BENCHES)
EXTRA_DIST += %D%/all.sh
SH_TESTS += bench/bars.test
.PHONY: bench run-benches

# The ring. What is timed sits behind the border of a shared object, as it does in the probe.
BENCHES += bench/ring.sh
EXTRA_PROGRAMS += bench/ring_bench
EXTRA_LTLIBRARIES = bench/ring_hot.la
EXTRA_DIST += %D%/ring.sh %D%/figure.h %D%/ring_hot.h %D%/ring_lttng.h
RING_BENCH = bench/ring_bench bench/ring_hot.la
bench_ring_bench_SOURCES = %D%/ring_bench.c
bench_ring_bench_CFLAGS = $(PLAIN_CFLAGS) -pthread
bench_ring_bench_LDADD = $(RING_FLOORS) -ldl
bench_ring_hot_la_SOURCES = %D%/ring_hot.c
bench_ring_hot_la_CFLAGS = $(PLAIN_CFLAGS) -ftls-model=initial-exec
bench_ring_hot_la_LDFLAGS = -module -avoid-version -shared -rpath $(pkglibdir)
if HAVE_LTTNG_UST
EXTRA_LTLIBRARIES += bench/ring_lttng.la
RING_BENCH += bench/ring_lttng.la
bench_ring_lttng_la_SOURCES = %D%/ring_lttng.c
bench_ring_lttng_la_CFLAGS = $(LTTNG_UST_CFLAGS) -w
bench_ring_lttng_la_LDFLAGS = -module -avoid-version -shared -rpath $(pkglibdir)
bench_ring_lttng_la_LIBADD = $(LTTNG_UST_LIBS)
endif
run-benches: $(RING_BENCH)

# The NVTX route.
BENCHES += bench/nvtx.sh
EXTRA_PROGRAMS += bench/nvtx_bench
EXTRA_DIST += %D%/nvtx.sh
bench_nvtx_bench_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir) -I$(srcdir)/fixtures/standin/include
bench_nvtx_bench_CFLAGS = $(PLAIN_CFLAGS)
bench_nvtx_bench_LDADD = -ldl
run-benches: bench/nvtx_bench fixtures/nvtxnccl/libncclnvtx.la

# The c10d route, on torchlike.
BENCHES += bench/c10d.sh
EXTRA_DIST += %D%/c10d.sh %D%/c10d_bench.cc
if HAVE_CXX
C10D_BENCH = bench/c10d_bench
CLEANFILES += $(C10D_BENCH)
bench/c10d_bench: %D%/c10d_bench.cc $(TORCHLIKE_INCLUDED) $(TORCHLIKE)
	@$(MKDIR_P) bench
	$(AM_V_GEN)$(TORCHLIKE_CXX) -O2 -o $@ $(srcdir)/%D%/c10d_bench.cc $(TORCHLIKE) -ldl \
		-Wl,-rpath-link,fixtures/standin/.libs
endif
run-benches: $(C10D_BENCH)

# The MPI route, on the libraries that are here.
BENCHES += bench/mpi.sh
EXTRA_DIST += %D%/mpi.sh %D%/mpi_bench.c

# The NCCL route, on the stand-in.
BENCHES += bench/nccl.sh
EXTRA_PROGRAMS += bench/nccl_bench
EXTRA_DIST += %D%/nccl.sh
bench_nccl_bench_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir) -I$(srcdir)/src \
	-I$(srcdir)/fixtures/standin/include
bench_nccl_bench_CFLAGS = $(PLAIN_CFLAGS)
bench_nccl_bench_LDFLAGS = $(RANK_LINK)
bench_nccl_bench_LDADD = $(STANDIN_LIBS) -ldl
EXTRA_bench_nccl_bench_DEPENDENCIES = $(STANDIN_LIBS)
run-benches: bench/nccl_bench

# Deaths.
BENCHES += bench/fatal.sh
EXTRA_PROGRAMS += bench/fatal_bench
EXTRA_DIST += %D%/fatal.sh %D%/fatal_bench.py
bench_fatal_bench_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir) -I$(srcdir)/fixtures/standin/include
bench_fatal_bench_CFLAGS = $(PLAIN_CFLAGS)
bench_fatal_bench_LDFLAGS = $(RANK_LINK)
bench_fatal_bench_LDADD = $(STANDIN_LIBS)
EXTRA_bench_fatal_bench_DEPENDENCIES = $(STANDIN_LIBS)
run-benches: bench/fatal_bench

# Cores.
BENCHES += bench/core.sh
EXTRA_PROGRAMS += bench/core_bench
EXTRA_DIST += %D%/core.sh %D%/core_bench.py %D%/figure.py %D%/walks.h
bench_core_bench_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
bench_core_bench_LDADD = $(PROC_FLOORS)
run-benches: bench/core_bench

# The Python route.
BENCHES += bench/python.sh
EXTRA_DIST += %D%/python.sh %D%/python_bench.py

# The whole program, on jobs that hang.
BENCHES += bench/attach.sh
EXTRA_PROGRAMS += bench/attach_bench
EXTRA_DIST += %D%/attach.sh
bench_attach_bench_SOURCES = %D%/attach_bench.c
bench_attach_bench_CFLAGS = $(PLAIN_CFLAGS)
run-benches: bench/attach_bench tests/trouble/sums tests/foreign/parked

# All nodes of a job.
BENCHES += bench/reach.sh
EXTRA_DIST += %D%/reach.sh
run-benches: fixtures/scenarios/draw

# The agent, while a job hangs, runs well, and restarts.
BENCHES += bench/agent.sh
EXTRA_DIST += %D%/agent.sh %D%/agent_bench.py %D%/agent_hour.py %D%/agent_job.py
run-benches: tests/trouble/sums

# The end of a job that did well.
BENCHES += bench/end.sh
EXTRA_DIST += %D%/end.sh %D%/end_bench.py

# A signal to inquest alone, on its way to the ranks.
BENCHES += bench/signals.sh
EXTRA_DIST += %D%/signals.sh %D%/signals_bench.py
run-benches: tests/trouble/sums tests/trouble/stuck.la

# An hour of it, which must show no growth. tests/RESULTS.md has what it found.
agent-hour: all tests/trouble/sums
	srcdir='$(abs_srcdir)' top_builddir='$(abs_builddir)' INQUEST='$(abs_builddir)/inquest' \
		python3 $(srcdir)/%D%/agent_hour.py
.PHONY: agent-hour

# Stacks, of processes that hang.
BENCHES += bench/stacks.sh
EXTRA_PROGRAMS += bench/stacks_bench
EXTRA_DIST += %D%/stacks.sh %D%/stacks_bench.py %D%/stacks_job.py
bench_stacks_bench_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
bench_stacks_bench_LDADD = $(PROC_FLOORS)
run-benches: bench/stacks_bench

# Short-lived children, such as compilers start by the thousand.
BENCHES += bench/children.sh
EXTRA_PROGRAMS += bench/children_bench
EXTRA_DIST += %D%/children.sh
bench_children_bench_SOURCES = %D%/children_bench.c
bench_children_bench_CFLAGS = $(PLAIN_CFLAGS)
run-benches: bench/children_bench

# A training step of PyTorch, where there is one.
BENCHES += bench/torch.sh
EXTRA_DIST += %D%/torch.sh %D%/torch_bench.py %D%/turns.py

# The same of whole frameworks, where they are. It takes half an hour, and so is asked for by name:
# make bench BENCHES=bench/frameworks.sh
EXTRA_DIST += %D%/frameworks.sh %D%/frameworks_bench.py

# Dumps of the Flight Recorder of a thousand ranks, from files to the verdict.
BENCHES += bench/dumps.sh
EXTRA_DIST += %D%/dumps.sh %D%/dumps_bench.py %D%/many_dumps.py

# Bundles of very many ranks, from files to the verdict. A test wants them, too: of few.
BENCHES += bench/bundles.sh
check_PROGRAMS += bench/many_bundles
EXTRA_DIST += %D%/bundles.sh %D%/bundles_bench.py
bench_many_bundles_SOURCES = %D%/many_bundles.c
bench_many_bundles_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
bench_many_bundles_LDADD = $(EVIDENCE_FLOORS)
run-benches: bench/many_bundles

# Facts of very many ranks, to the verdict.
BENCHES += bench/judge.sh
EXTRA_PROGRAMS += bench/judge_bench
EXTRA_DIST += %D%/judge.sh %D%/judge_steps.py
bench_judge_bench_SOURCES = %D%/judge_bench.c tests/unit/many_ranks.c
bench_judge_bench_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
bench_judge_bench_LDADD = $(REPORT_FLOORS) -lm
run-benches: bench/judge_bench

# Logs of others about very many ranks.
BENCHES += bench/texts_bench
EXTRA_PROGRAMS += bench/texts_bench
bench_texts_bench_SOURCES = %D%/texts_bench.c
bench_texts_bench_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
bench_texts_bench_LDADD = src/verdict/libverdict.la $(DECODE_FLOORS) -lm
run-benches: bench/texts_bench

# The stacks of very many ranks as one tree.
BENCHES += bench/stacktree_bench
EXTRA_PROGRAMS += bench/stacktree_bench
bench_stacktree_bench_SOURCES = %D%/stacktree_bench.c
bench_stacktree_bench_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
bench_stacktree_bench_LDADD = $(JOB_FLOORS)
run-benches: bench/stacktree_bench

# Dumps of PyTorch's Flight Recorder, from bytes to entries.
BENCHES += bench/flight_bench
EXTRA_PROGRAMS += bench/flight_bench
bench_flight_bench_SOURCES = %D%/flight_bench.c $(FLIGHT_EMIT)
bench_flight_bench_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
bench_flight_bench_LDADD = $(DECODE_FLOORS)
run-benches: bench/flight_bench

# What the viewer makes of a job before it draws it.
BENCHES += bench/view_bench
EXTRA_PROGRAMS += bench/view_bench
bench_view_bench_SOURCES = %D%/view_bench.c
bench_view_bench_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
bench_view_bench_LDADD = $(VIEWER_FLOORS)
run-benches: bench/view_bench

# The viewer on a terminal: what it costs to leave it there.
BENCHES += bench/view_idle.sh
EXTRA_DIST += %D%/view_idle.sh %D%/view_idle_bench.py %D%/viewer.py

# What a viewer that follows costs those whom it looks at.
BENCHES += bench/view_live.sh
EXTRA_PROGRAMS += bench/view_writer
EXTRA_DIST += %D%/view_live.sh %D%/view_live_bench.py
bench_view_writer_CPPFLAGS = $(RANK_INCLUDES) -I$(srcdir)/src
bench_view_writer_CFLAGS = $(PLAIN_CFLAGS)
bench_view_writer_LDFLAGS = $(RANK_LINK)
bench_view_writer_LDADD = $(STANDIN_LIBS)
EXTRA_bench_view_writer_DEPENDENCIES = $(STANDIN_LIBS)
run-benches: bench/view_writer
