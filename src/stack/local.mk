# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libstack.la
src_stack_libstack_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBUNWIND_CFLAGS)
src_stack_libstack_la_SOURCES = \
	%D%/cfi-scan.c %D%/cfi-scan.h \
	%D%/cfi.c %D%/cfi.h \
	%D%/excerpt.c %D%/excerpt.h \
	%D%/maps.c %D%/maps.h \
	%D%/memory.h \
	%D%/merge-names.c %D%/merge.c %D%/merge.h \
	%D%/module.c %D%/module.h \
	%D%/python-code.c %D%/python-code.h \
	%D%/python-layout.c %D%/python-layout.h \
	%D%/python-frames.c %D%/python-frames.h \
	%D%/python-objects.c %D%/python-objects.h \
	%D%/snapshot.c %D%/snapshot.h \
	%D%/unwind-space.c %D%/unwind-space.h \
	%D%/unwind-trail.c %D%/unwind-trail.h \
	%D%/unwind.c %D%/unwind.h

UNIT_TESTS += tests/unit/stack/stack_excerpt_test
tests_unit_stack_stack_excerpt_test_LDADD = $(STACK_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/stack/stack_python_test
tests_unit_stack_stack_python_test_SOURCES = \
	tests/unit/stack/stack_python_test.c \
	tests/unit/python-fake.c tests/unit/python-fake.h
tests_unit_stack_stack_python_test_LDADD = $(STACK_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/stack/stack_maps_test
tests_unit_stack_stack_maps_test_LDADD = $(STACK_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/stack/stack_module_test
tests_unit_stack_stack_module_test_LDADD = $(STACK_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/stack/stack_cfi_test
tests_unit_stack_stack_cfi_test_LDADD = $(STACK_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/stack/stack_unwind_test
tests_unit_stack_stack_unwind_test_LDADD = $(STACK_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/stack/stack_merge_test
tests_unit_stack_stack_merge_test_LDADD = $(STACK_FLOORS) $(CMOCKA_LIBS)
