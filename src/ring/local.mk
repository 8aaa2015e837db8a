# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libring.la
src_ring_libring_la_SOURCES = %D%/ring.h %D%/census.h
src_ring_libring_la_SOURCES += %D%/calls.h %D%/makers.h
src_ring_libring_la_SOURCES += %D%/ring-cpu.h %D%/ring-write.h %D%/ring-group.h %D%/ring-span.h
src_ring_libring_la_SOURCES += %D%/ring-make.h %D%/ring-make.c %D%/census-write.h
src_ring_libring_la_SOURCES += %D%/ring-read.h %D%/ring-read.c %D%/ring-names.h %D%/ring-names.c
src_ring_libring_la_SOURCES += %D%/ring-traceback.h %D%/ring-traceback.c
src_ring_libring_la_SOURCES += %D%/ring-snapshot.h %D%/ring-snapshot.c
src_ring_libring_la_SOURCES += %D%/census-read.h %D%/census-read.c

UNIT_TESTS += tests/unit/ring/ring_write_test
tests_unit_ring_ring_write_test_LDADD = $(RING_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/ring/ring_group_test
tests_unit_ring_ring_group_test_LDADD = $(RING_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/ring/ring_read_test
tests_unit_ring_ring_read_test_LDADD = $(RING_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/ring/ring_snapshot_test
tests_unit_ring_ring_snapshot_test_LDADD = $(RING_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/ring/census_snapshot_test
tests_unit_ring_census_snapshot_test_LDADD = $(RING_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/ring/ring_traceback_test
tests_unit_ring_ring_traceback_test_LDADD = $(RING_FLOORS) $(CMOCKA_LIBS)
