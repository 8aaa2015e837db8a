# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libproc.la
src_proc_libproc_la_SOURCES = \
	%D%/argarea.c %D%/argarea.h \
	%D%/blocked.c %D%/blocked.h \
	%D%/captor.c %D%/captor.h \
	%D%/capture.c %D%/capture.h \
	%D%/cgroup.c %D%/cgroup.h \
	%D%/claims.c %D%/claims.h \
	%D%/core.c %D%/core.h \
	%D%/core-file.c %D%/core-file.h \
	%D%/core-maps.c %D%/core-maps.h \
	%D%/core-memory.c %D%/core-memory.h \
	%D%/core-notes.c %D%/core-notes.h \
	%D%/core-unpack.c %D%/core-unpack.h \
	%D%/debugfile.c %D%/debugfile.h \
	%D%/elf-file.c %D%/elf-file.h \
	%D%/errand.c %D%/errand.h \
	%D%/hold.c %D%/hold.h \
	%D%/image.c %D%/image.h \
	%D%/image-source.c %D%/image-source.h \
	%D%/inside.c %D%/inside.h \
	%D%/launcher.c %D%/launcher.h \
	%D%/leftover.c %D%/leftover.h \
	%D%/lines.c %D%/lines.h \
	%D%/livemem.c %D%/livemem.h \
	%D%/locks.c %D%/locks.h \
	%D%/mpir.c %D%/mpir.h \
	%D%/ns.c %D%/ns.h \
	%D%/peek.c %D%/peek.h \
	%D%/permit.c %D%/permit.h \
	%D%/plt.c %D%/plt.h \
	%D%/python-find.c %D%/python-find.h \
	%D%/read.c %D%/read.h \
	%D%/slurm.c %D%/slurm.h \
	%D%/stop.c %D%/stop.h \
	%D%/survey.c %D%/survey.h \
	%D%/survey-inside.c \
	%D%/survey-jobs.c \
	%D%/survey-settle.c \
	%D%/symbols.c %D%/symbols.h \
	%D%/symbols-value.c \
	%D%/threads.c %D%/threads.h \
	%D%/tree.c %D%/tree.h \
	%D%/walk.c %D%/walk.h \
	%D%/watch.c %D%/watch.h
src_proc_libproc_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBELF_CFLAGS) $(LIBDW_CFLAGS) $(LZMA_CFLAGS) \
	$(ZSTD_CFLAGS)

UNIT_TESTS += tests/unit/proc_test
TSAN_TESTS += tests/unit/proc_test
tests_unit_proc_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/leftover_test
tests_unit_leftover_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/image_test
tests_unit_image_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/symbols_test
tests_unit_symbols_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/elf_file_test
tests_unit_elf_file_test_CPPFLAGS = $(AM_CPPFLAGS) $(LIBELF_CFLAGS)
tests_unit_elf_file_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/survey_test
tests_unit_survey_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)


UNIT_TESTS += tests/unit/core_test
tests_unit_core_test_CPPFLAGS = $(AM_CPPFLAGS) $(LIBELF_CFLAGS)
tests_unit_core_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/permit_test
tests_unit_permit_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

