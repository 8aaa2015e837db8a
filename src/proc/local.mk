# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libproc.la
src_proc_libproc_la_SOURCES = \
	%D%/argarea.c %D%/argarea.h \
	%D%/blocked.c %D%/blocked.h \
	%D%/blocking-read.c %D%/blocking-read.h \
	%D%/threads/capture.c %D%/threads/capture.h \
	%D%/cgroup.c %D%/cgroup.h \
	%D%/survey/claims.c %D%/survey/claims.h \
	%D%/core/core.c %D%/core/core.h \
	%D%/core/core-file.c %D%/core/core-file.h \
	%D%/core/core-maps.c %D%/core/core-maps.h \
	%D%/core/core-memory.c %D%/core/core-memory.h \
	%D%/core/core-notes.c %D%/core/core-notes.h \
	%D%/core/core-unpack.c %D%/core/core-unpack.h \
	%D%/symbols/debugfile.c %D%/symbols/debugfile.h \
	%D%/symbols/elf-file.c %D%/symbols/elf-file.h \
	%D%/helper.c %D%/helper.h \
	%D%/threads/hold.c %D%/threads/hold.h \
	%D%/symbols/image.c %D%/symbols/image.h \
	%D%/symbols/image-source.c %D%/symbols/image-source.h \
	%D%/survey/inside.c %D%/survey/inside.h \
	%D%/survey/launcher.c %D%/survey/launcher.h \
	%D%/symbols/dwarf-lines.c %D%/symbols/dwarf-lines.h \
	%D%/threads/livemem.c %D%/threads/livemem.h \
	%D%/locks.c %D%/locks.h \
	%D%/mounts.c %D%/mounts.h \
	%D%/survey/mpir.c %D%/survey/mpir.h \
	%D%/ns.c %D%/ns.h \
	%D%/peek.c %D%/peek.h \
	%D%/threads/permit.c %D%/threads/permit.h \
	%D%/symbols/plt.c %D%/symbols/plt.h \
	%D%/symbols/python-find.c %D%/symbols/python-find.h \
	%D%/threads/runner.c %D%/threads/runner.h \
	%D%/program.c %D%/program.h \
	%D%/read.c %D%/read.h \
	%D%/sight.c %D%/sight.h \
	%D%/survey/places.c %D%/survey/places.h \
	%D%/survey/siblings.c %D%/survey/siblings.h \
	%D%/survey/slurm.c %D%/survey/slurm.h \
	%D%/threads/sleep-clock.c %D%/threads/sleep-clock.h \
	%D%/threads/stop.c %D%/threads/stop.h \
	%D%/survey/standing.c %D%/survey/standing.h \
	%D%/survey/survey.c %D%/survey/survey.h \
	%D%/survey/survey-inside.c \
	%D%/survey/survey-jobs.c \
	%D%/survey/survey-settle.c \
	%D%/symbols/symbols.c %D%/symbols/symbols.h \
	%D%/symbols/symbols-value.c \
	%D%/threads/threads.c %D%/threads/threads.h \
	%D%/spare.c %D%/spare.h \
	%D%/tree.c %D%/tree.h \
	%D%/threads/walk.c %D%/threads/walk.h \
	%D%/watch.c %D%/watch.h
src_proc_libproc_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBELF_CFLAGS) $(LIBDW_CFLAGS) $(LZMA_CFLAGS) \
	$(ZSTD_CFLAGS)

UNIT_TESTS += tests/unit/proc/proc_test
TSAN_TESTS += tests/unit/proc/proc_test
tests_unit_proc_proc_test_SOURCES = tests/unit/proc/proc_test.c tests/unit/proc/child.h
tests_unit_proc_proc_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/proc/helper_test
tests_unit_proc_helper_test_SOURCES = tests/unit/proc/helper_test.c tests/unit/proc/child.h
tests_unit_proc_helper_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/proc/image_test
tests_unit_proc_image_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/proc/sleep_clock_test
tests_unit_proc_sleep_clock_test_SOURCES = \
	tests/unit/proc/sleep_clock_test.c tests/unit/proc/child.h
tests_unit_proc_sleep_clock_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/proc/hold_test
tests_unit_proc_hold_test_SOURCES = tests/unit/proc/hold_test.c tests/unit/proc/child.h
tests_unit_proc_hold_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS) -lpthread

UNIT_TESTS += tests/unit/proc/runner_test
tests_unit_proc_runner_test_SOURCES = tests/unit/proc/runner_test.c tests/unit/proc/child.h
tests_unit_proc_runner_test_CFLAGS = $(AM_CFLAGS) -O2 -fno-optimize-sibling-calls
tests_unit_proc_runner_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/proc/symbols_test
tests_unit_proc_symbols_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/proc/elf_file_test
tests_unit_proc_elf_file_test_CPPFLAGS = $(AM_CPPFLAGS) $(LIBELF_CFLAGS)
tests_unit_proc_elf_file_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/proc/survey_test
tests_unit_proc_survey_test_SOURCES = tests/unit/proc/survey_test.c tests/unit/proc/actors.h
tests_unit_proc_survey_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/proc/survey_jax_test
tests_unit_proc_survey_jax_test_SOURCES = \
	tests/unit/proc/survey_jax_test.c tests/unit/proc/actors.h
tests_unit_proc_survey_jax_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/proc/survey_heirs_test
tests_unit_proc_survey_heirs_test_SOURCES = \
	tests/unit/proc/survey_heirs_test.c tests/unit/proc/actors.h
tests_unit_proc_survey_heirs_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)


UNIT_TESTS += tests/unit/proc/core_test
tests_unit_proc_core_test_CPPFLAGS = $(AM_CPPFLAGS) $(LIBELF_CFLAGS)
tests_unit_proc_core_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/proc/permit_test
tests_unit_proc_permit_test_LDADD = $(PROC_FLOORS) $(CMOCKA_LIBS)

