# SPDX-License-Identifier: Apache-2.0
#
# The preload object lives in processes of others: no sanitizers, nothing beyond glibc's own
# libraries, never unloaded, and thread-locals that need no allocation. Before glibc 2.34 dlsym and
# the pthread functions live in libraries of their own, which must be named although here, today,
# they are empty: by file, since only their sonames are installed.
pkglib_LTLIBRARIES += libinquest-probe.la
include_HEADERS = %D%/inquest.h
libinquest_probe_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir) $(LIBUNWIND_CFLAGS)
libinquest_probe_la_CFLAGS = $(PLAIN_CFLAGS) -ftls-model=initial-exec -fno-builtin-abort
libinquest_probe_la_LDFLAGS = -module -avoid-version -shared -Wl,-z,nodelete -Wl,-z,defs \
	-Wl,--version-script=$(srcdir)/%D%/probes.map \
	-Wl,--push-state,--no-as-needed,-l:libdl.so.2,-l:libpthread.so.0,--pop-state
libinquest_probe_la_DEPENDENCIES = %D%/probes.map
libinquest_probe_la_SOURCES = \
	%D%/altstack.c %D%/altstack.h \
	%D%/asan.c \
	%D%/birth.c \
	%D%/census.c %D%/census.h \
	%D%/clock.c %D%/clock.h \
	%D%/comm.c %D%/comm.h \
	%D%/completion.c %D%/completion.h \
	%D%/cuda.c %D%/cuda.def %D%/cuda.h %D%/cuda-abi.h \
	%D%/death.c %D%/death.h \
	%D%/ends.c \
	%D%/fork.c %D%/fork.h \
	%D%/glibc.h \
	%D%/goodbye.c %D%/goodbye.h \
	%D%/group.c %D%/group.h \
	%D%/hook.c %D%/hook.h \
	%D%/kin.c \
	%D%/lastwords.c %D%/lastwords.h \
	%D%/launch.c \
	%D%/lowfds.c %D%/lowfds.h \
	%D%/marks.c \
	%D%/nccl.c %D%/nccl.def %D%/nccl.h %D%/nccl-abi.h \
	%D%/object.c %D%/object.h \
	%D%/nvtx.c %D%/nvtx.h %D%/nvtx-abi.h \
	%D%/nvtx-comm.c \
	%D%/nvtx-range.c \
	%D%/place.c %D%/place.h \
	%D%/probe.h \
	%D%/preload.c %D%/preload.h \
	%D%/profiler.c %D%/profiler.h %D%/profiler-abi.h \
	%D%/profiler-kernel.c \
	%D%/process.c %D%/process.h \
	%D%/seal.c %D%/seal.h \
	%D%/self.c %D%/self.h \
	%D%/sigchain.c %D%/sigchain.h \
	%D%/spawn.c \
	%D%/symver.h %D%/sys.h %D%/text.h \
	%D%/thread.c %D%/thread.h \
	%D%/traceback.c %D%/traceback.h \
	%D%/unwinder.c %D%/unwinder.h \
	%D%/pyframes.c %D%/pyframes.h \
	%D%/python.c %D%/python.h %D%/python-parts.h \
	%D%/python-abi.c %D%/python-abi.h \
	%D%/python-args.c %D%/python-around.c %D%/python-channel.c \
	%D%/python-fault.c %D%/python-hook.c %D%/python-shim.c \
	%D%/python-unheard.c %D%/python-watch.c \
	%D%/tools.c %D%/tools.h \
	%D%/wait.c \
	%D%/trait.h \
	%D%/c10d.c %D%/c10d.h %D%/c10d.def %D%/c10d-abi.h %D%/c10d-door.h \
	%D%/c10d-nccl.c %D%/c10d-nccl.h \
	%D%/c10d-op.c \
	%D%/c10d-store.c %D%/c10d-store.h \
	%D%/c10d-wait.c \
	%D%/c10d-work.c %D%/c10d-work.h \
	%D%/unwound.c %D%/unwound.h \
	%D%/version.c \
	src/cpython/layout.c src/cpython/lines.c \
	src/ring/ring-make.c
EXTRA_DIST += %D%/probes.map

# The shim, in the order in which it is embedded: core.py first.
PYTHON_SHIM = \
	$(srcdir)/%D%/shim/core.py \
	$(srcdir)/%D%/shim/wrap.py \
	$(srcdir)/%D%/shim/modes.py \
	$(srcdir)/%D%/shim/groups.py \
	$(srcdir)/%D%/shim/step.py \
	$(srcdir)/%D%/shim/loader.py \
	$(srcdir)/%D%/shim/checkpoint.py \
	$(srcdir)/%D%/shim/cache.py \
	$(srcdir)/%D%/shim/compile.py \
	$(srcdir)/%D%/shim/triton.py \
	$(srcdir)/%D%/shim/jax.py
nodist_libinquest_probe_la_SOURCES = %D%/python-shim.inc
%D%/python-shim.inc: %D%/shim/embed.awk $(PYTHON_SHIM)
	$(AM_V_GEN)$(MKDIR_P) %D% && \
	LC_ALL=C $(AWK) -f $(srcdir)/%D%/shim/embed.awk $(PYTHON_SHIM) >$@-t && mv $@-t $@
BUILT_SOURCES += %D%/python-shim.inc
CLEANFILES += %D%/python-shim.inc %D%/python-shim.inc-t
EXTRA_DIST += %D%/shim/embed.awk $(PYTHON_SHIM)

# Never linked into anything: compiling them is the check.
if HAVE_NCCL_HEADERS
if HAVE_CUDA_HEADERS
noinst_LTLIBRARIES += %D%/libcheck-nccl.la
%C%_libcheck_nccl_la_SOURCES = %D%/check-nccl.c
%C%_libcheck_nccl_la_CPPFLAGS = -I$(srcdir) -I$(srcdir)/src $(NCCL_CPPFLAGS) $(CUDA_CPPFLAGS)
%C%_libcheck_nccl_la_CFLAGS = -std=gnu11 -Wall
endif
endif
if HAVE_CUDA_HEADERS
noinst_LTLIBRARIES += %D%/libcheck-cuda.la
%C%_libcheck_cuda_la_SOURCES = %D%/check-cuda.c
%C%_libcheck_cuda_la_CPPFLAGS = -I$(srcdir) -I$(srcdir)/src $(CUDA_CPPFLAGS)
%C%_libcheck_cuda_la_CFLAGS = -std=gnu11 -Wall
endif
if HAVE_NVTX_HEADERS
noinst_LTLIBRARIES += %D%/libcheck-nvtx.la
%C%_libcheck_nvtx_la_SOURCES = %D%/check-nvtx.c
%C%_libcheck_nvtx_la_CPPFLAGS = -I$(srcdir) -I$(srcdir)/src $(NVTX_CPPFLAGS)
%C%_libcheck_nvtx_la_CFLAGS = -std=gnu11 -Wall
endif
if HAVE_PROFILER_HEADERS
noinst_LTLIBRARIES += %D%/libcheck-profiler.la
%C%_libcheck_profiler_la_SOURCES = %D%/check-profiler.c
%C%_libcheck_profiler_la_CPPFLAGS = -I$(srcdir) -I$(srcdir)/src $(PROFILER_CPPFLAGS)
%C%_libcheck_profiler_la_CFLAGS = -std=gnu11 -Wall
endif
EXTRA_DIST += %D%/check-nccl.c %D%/check-cuda.c %D%/check-nvtx.c %D%/check-profiler.c
