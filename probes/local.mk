# SPDX-License-Identifier: Apache-2.0
#
# The preload object lives in processes of others: no sanitizers, nothing beyond glibc's own
# libraries, never unloaded, and thread-locals that need no allocation. Of libraries it names libc
# alone: each other one costs every child (symver.h, dl.h). The tables of hooks name 700 of our own
# functions, which every child would look up by name at its start.
pkglib_LTLIBRARIES += libinquest-probe.la
include_HEADERS = %D%/inquest.h
libinquest_probe_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir) $(LIBUNWIND_CFLAGS)
libinquest_probe_la_CFLAGS = $(PLAIN_CFLAGS) -ftls-model=initial-exec -fno-builtin-abort
libinquest_probe_la_LDFLAGS = -module -avoid-version -shared -Wl,-z,nodelete -Wl,-z,defs \
	-Wl,-Bsymbolic-functions \
	-Wl,--version-script=$(srcdir)/%D%/probes.map
libinquest_probe_la_DEPENDENCIES = %D%/probes.map
libinquest_probe_la_SOURCES = \
	%D%/death/altstack.c %D%/death/altstack.h \
	%D%/asan.c \
	%D%/nccl/birth.c \
	%D%/census.c %D%/census.h \
	%D%/ring-clock.c %D%/ring-clock.h \
	%D%/nccl/comm.c %D%/nccl/comm.h \
	%D%/nccl/completion.c %D%/nccl/completion.h \
	%D%/nccl/cuda.c %D%/nccl/cuda.def %D%/nccl/cuda.h %D%/nccl/cuda-abi.h \
	%D%/death/death.c %D%/death/death.h \
	%D%/dl.c %D%/dl.h \
	%D%/nccl/ends.c \
	%D%/fork.c %D%/fork.h \
	%D%/glibc.h \
	%D%/death/goodbye.c %D%/death/goodbye.h \
	%D%/nccl/group.c %D%/nccl/group.h \
	%D%/gloo/gloo.h %D%/gloo/gloo.def %D%/gloo/gloo-abi.h \
	%D%/gloo/gloo-buffer.c %D%/gloo/gloo-context.c %D%/gloo/gloo-op.c \
	%D%/hook.c %D%/hook.h \
	%D%/key-wait.c %D%/key-wait.h \
	%D%/hostop.c %D%/hostop.h \
	%D%/nccl/kin.c \
	%D%/death/lastwords.c %D%/death/lastwords.h \
	%D%/nccl/launches.c \
	%D%/libc.c %D%/libc.def %D%/libc.h \
	%D%/links.c %D%/links.h \
	%D%/lowfds.c %D%/lowfds.h \
	%D%/mapping.c %D%/mapping.h \
	%D%/marks.c %D%/marks.h \
	%D%/mpi/mpi.c %D%/mpi/mpi.h %D%/mpi/mpi.def %D%/mpi/mpi-abi.h \
	%D%/mpi/mpi-comm.c %D%/mpi/mpi-left.c %D%/mpi/mpi-library.c %D%/mpi/mpi-library.h \
	%D%/mpi/mpi-op.c %D%/mpi/mpi-request.c \
	%D%/nccl/nccl.c %D%/nccl/nccl.def %D%/nccl/nccl.h %D%/nccl/nccl-abi.h \
	%D%/object.c %D%/object.h \
	%D%/nvtx/nvtx.c %D%/nvtx/nvtx.h %D%/nvtx/nvtx-abi.h \
	%D%/nvtx/nvtx-comm.c \
	%D%/nvtx/nvtx-range.c \
	%D%/place.c %D%/place.h \
	%D%/probe.h \
	%D%/preload.c %D%/preload.h \
	%D%/portions.c %D%/portions.h \
	%D%/presence.c %D%/presence.h \
	%D%/nccl/profiler.c %D%/nccl/profiler.h %D%/nccl/profiler-abi.h \
	%D%/nccl/profiler-kernel.c \
	%D%/process.c %D%/process.h \
	%D%/seccomp.c %D%/seccomp.h \
	%D%/self.c %D%/self.h \
	%D%/death/sigchain.c %D%/death/sigchain.h \
	%D%/spawn.c \
	%D%/symver.h %D%/sys.h %D%/text.h \
	%D%/thread.c %D%/thread.h \
	%D%/death/traceback.c %D%/death/traceback.h \
	%D%/death/unwinder.c %D%/death/unwinder.h \
	%D%/python/pyframes.c %D%/python/pyframes.h \
	%D%/python/python.c %D%/python/python.h %D%/python/python-parts.h \
	%D%/python/python-abi.c %D%/python/python-abi.h \
	%D%/python/python-args.c %D%/python/python-around.c %D%/python/python-channel.c \
	%D%/python/python-fault.c %D%/python/python-hook.c %D%/python/python-keys.c \
	%D%/python/python-shim.c \
	%D%/python/python-unheard.c %D%/python/python-watch.c \
	%D%/tools.c %D%/tools.h \
	%D%/wait.c \
	%D%/work.c %D%/work.h \
	%D%/trait.h \
	%D%/c10d/c10d.c %D%/c10d/c10d.h %D%/c10d/c10d.def %D%/c10d/c10d-abi.h \
	%D%/c10d/c10d-route.h \
	%D%/c10d/c10d-nccl.c %D%/c10d/c10d-nccl.h \
	%D%/c10d/c10d-op.c \
	%D%/c10d/c10d-store.c %D%/c10d/c10d-store.h \
	%D%/c10d/c10d-wait.c \
	%D%/death/unwound.c %D%/death/unwound.h \
	%D%/version.c \
	src/cpython/layout.c src/cpython/lines.c \
	src/ring/ring-make.c
EXTRA_DIST += %D%/probes.map

# The shim, in the order in which it is embedded: core.py first.
PYTHON_SHIM = \
	$(srcdir)/%D%/shim/core.py \
	$(srcdir)/%D%/shim/wrap.py \
	$(srcdir)/%D%/shim/modes.py \
	$(srcdir)/%D%/shim/unseen.py \
	$(srcdir)/%D%/shim/memory.py \
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
# Who makes one program only, in a clean tree, has no BUILT_SOURCES.
$(libinquest_probe_la_OBJECTS): | %D%/python-shim.inc
CLEANFILES += %D%/python-shim.inc %D%/python-shim.inc-t
EXTRA_DIST += %D%/shim/embed.awk $(PYTHON_SHIM)

# Never linked into anything: compiling them is the check.
if HAVE_NCCL_HEADERS
if HAVE_CUDA_HEADERS
noinst_LTLIBRARIES += %D%/libcheck-nccl.la
%C%_libcheck_nccl_la_SOURCES = %D%/nccl/check-nccl.c
%C%_libcheck_nccl_la_CPPFLAGS = -I$(srcdir) -I$(srcdir)/src $(NCCL_CPPFLAGS) $(CUDA_CPPFLAGS)
%C%_libcheck_nccl_la_CFLAGS = -std=gnu11 -Wall
endif
endif
if HAVE_CUDA_HEADERS
noinst_LTLIBRARIES += %D%/libcheck-cuda.la
%C%_libcheck_cuda_la_SOURCES = %D%/nccl/check-cuda.c
%C%_libcheck_cuda_la_CPPFLAGS = -I$(srcdir) -I$(srcdir)/src $(CUDA_CPPFLAGS)
%C%_libcheck_cuda_la_CFLAGS = -std=gnu11 -Wall
endif
if HAVE_OPENMPI_HEADERS
noinst_LTLIBRARIES += %D%/libcheck-openmpi.la
%C%_libcheck_openmpi_la_SOURCES = %D%/mpi/check-mpi.c
%C%_libcheck_openmpi_la_CPPFLAGS = -I$(srcdir) -I$(srcdir)/src $(OPENMPI_CPPFLAGS)
%C%_libcheck_openmpi_la_CFLAGS = -std=gnu11 -Wall
endif
if HAVE_MPICH_HEADERS
noinst_LTLIBRARIES += %D%/libcheck-mpich.la
%C%_libcheck_mpich_la_SOURCES = %D%/mpi/check-mpi.c
%C%_libcheck_mpich_la_CPPFLAGS = -I$(srcdir) -I$(srcdir)/src $(MPICH_CPPFLAGS)
%C%_libcheck_mpich_la_CFLAGS = -std=gnu11 -Wall
endif
if HAVE_NVTX_HEADERS
noinst_LTLIBRARIES += %D%/libcheck-nvtx.la
%C%_libcheck_nvtx_la_SOURCES = %D%/nvtx/check-nvtx.c
%C%_libcheck_nvtx_la_CPPFLAGS = -I$(srcdir) -I$(srcdir)/src $(NVTX_CPPFLAGS)
%C%_libcheck_nvtx_la_CFLAGS = -std=gnu11 -Wall
endif
if HAVE_PROFILER_HEADERS
noinst_LTLIBRARIES += %D%/libcheck-profiler.la
%C%_libcheck_profiler_la_SOURCES = %D%/nccl/check-profiler.c
%C%_libcheck_profiler_la_CPPFLAGS = -I$(srcdir) -I$(srcdir)/src $(PROFILER_CPPFLAGS)
%C%_libcheck_profiler_la_CFLAGS = -std=gnu11 -Wall
endif
EXTRA_DIST += %D%/nccl/check-nccl.c %D%/nccl/check-cuda.c %D%/nvtx/check-nvtx.c \
	%D%/nccl/check-profiler.c %D%/mpi/check-mpi.c
