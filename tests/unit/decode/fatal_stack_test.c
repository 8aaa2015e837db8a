/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a traceback in a ring to a stack with names: addresses of this very program, whose file is
 * at hand, as a handler would have written them.
 */
#include <link.h>
#include <unistd.h>

#include "decode/decode.h"
#include "evidence/gather/fatal-modules.h"
#include "job/job.h"
#include "tests/decode/forge.h"
#include "tests/unit/unit.h"

__attribute__((noinline, used)) static int innermost_of_all(int n)
{
	return n * 7 + (int)getpid();
}

__attribute__((noinline, used)) static int the_one_that_called(int n)
{
	return innermost_of_all(n + 1) - 3;
}

/* --- This program as a module ----------------------------------------------------------------- */

static void take_build_id(struct ring_trace_module *module, const uint8_t *note, size_t size)
{
	ElfW(Nhdr) n;

	while (size >= sizeof(n)) {
		size_t name, desc, len;

		memcpy(&n, note, sizeof(n));
		name = (n.n_namesz + 3u) & ~3u;
		desc = (n.n_descsz + 3u) & ~3u;
		len = sizeof(n) + name + desc;
		if (len > size)
			return;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_descsz <= RING_TRACE_ID) {
			memcpy(module->build_id, note + sizeof(n) + name, n.n_descsz);
			module->build_id_len = n.n_descsz;
		}
		note += len;
		size -= len;
	}
}

static int take_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct ring_trace_module *module = arg;

	(void)size;
	module->bias = info->dlpi_addr;
	module->start = UINT64_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = info->dlpi_phdr + i;
		uint64_t at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && at < module->start)
			module->start = at & ~4095ull;
		if (p->p_type == PT_LOAD && at + p->p_memsz > module->end)
			module->end = at + p->p_memsz;
		if (p->p_type == PT_NOTE)
			take_build_id(module, (const uint8_t *)(uintptr_t)at, p->p_memsz);
	}
	return 1; /* the first is the program */
}

/* --- Its death -------------------------------------------------------------------------------- */

static struct ring_traceback *a_death(struct fixture *f)
{
	struct ring_fatal *death = ring_fatal_claim(&f->w);
	struct ring_traceback *t = ring_traceback_begin(&f->w, death);
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path));

	assert_true(len > 0);
	death->signo = 11;
	death->code = 1;
	death->tid = FORGE_PID(0);
	death->tsc = forge_tsc(5);
	strcpy(death->thread, "trainer");
	ring_fatal_publish(death);
	dl_iterate_phdr(take_program, &t->module[0]);
	t->module[0].path = ring_traceback_text(t, path, (uint32_t)len);
	t->nmodules = 1;
	t->frame[0] = (struct ring_trace_frame){(uint64_t)(uintptr_t)innermost_of_all + 1, 0x1000,
		1, RING_TRACE_F_EXACT};
	t->frame[1] = (struct ring_trace_frame){
		(uint64_t)(uintptr_t)the_one_that_called + 4, 0x2000, 1, 0};
	t->frame[2] = (struct ring_trace_frame){0x10, 0x3000, 0, RING_TRACE_F_GUESSED};
	t->frame[3] = t->frame[1];
	t->frame[3].sp = 0x4000;
	t->nframes = 4;
	t->end = RING_TRACE_OUTERMOST;
	return t;
}

static void add_python(struct ring_traceback *t)
{
	t->py[0].file = ring_traceback_text(t, "/job/train.py", 13);
	t->py[0].function = ring_traceback_text(t, "Model.step", 10);
	t->py[0].line = 41;
	t->py[0].anchor = 0x3800; /* in the third frame, whose place it takes */
	t->npy = 1;
	t->python = RING_TRACE_PY_WHOLE;
	t->python_version = 0x030c0000;
}

static struct job *decoded(struct evidence *evidence)
{
	struct job *job = decode_job(evidence);

	evidence_release(evidence);
	return job;
}

static const struct job_frame *frame_of(const struct job *job, size_t i)
{
	assert_int_equal(job->nstacks, 1);
	assert_true(i < job->stacks[0].nframes);
	return &job->frames[job->stacks[0].frames[i]];
}

static void names_come_from_the_files(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	struct ring_traceback *t = a_death(f);
	struct job *job;

	add_python(t);
	ring_traceback_publish(&f->w, t);
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	fatal_modules_add(&evidence, FORGE_HOST);
	assert_int_equal(evidence.ngaps, 0);
	assert_int_equal(evidence.at[evidence.n - 1].kind, EXHIBIT_MODULE);
	job = decoded(&evidence);
	assert_string_equal(frame_of(job, 0)->function, "innermost_of_all");
	assert_string_equal(frame_of(job, 1)->function, "the_one_that_called");
	assert_string_equal(frame_of(job, 2)->function, "Model.step");
	assert_int_equal(frame_of(job, 2)->kind, JOB_FRAME_PYTHON);
	assert_int_equal(frame_of(job, 2)->line, 41);
	assert_string_equal(frame_of(job, 3)->function, "the_one_that_called");
	assert_int_equal(job->stacks[0].how, JOB_STACK_FATAL);
	assert_true(job->stacks[0].main && job->stacks[0].merged);
	assert_int_equal(job->stacks[0].when, forge_real(5));
	assert_string_equal(job->stacks[0].thread, "trainer");
	assert_string_equal(job->stacks[0].cut, "");
	assert_string_equal(job->stacks[0].cite, "fatal:0");
	job_free(job);
}

/* The same object twice: its names go into the one exhibit that there may be. */
/* abort() of ours in front of libc's: no place that it died in, but kept for who wants all. */
static void our_own_way_to_abort_is_plumbing(void **state)
{
	static const char libc[] = "/lib/libc.so.6", ours[] = "/opt/libinquest-probe.so";
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	struct ring_traceback *t = a_death(f);
	struct job *job;

	t->module[1] = (struct ring_trace_module){.start = 0x1000, .end = 0x2000,
		.path = ring_traceback_text(t, libc, sizeof(libc) - 1)};
	t->module[2] = (struct ring_trace_module){.start = 0x3000, .end = 0x4000,
		.path = ring_traceback_text(t, ours, sizeof(ours) - 1)};
	t->nmodules = 3;
	t->frame[3] = (struct ring_trace_frame){0x3300, 0x5000, 3, 0};
	t->frame[2] = t->frame[0];
	t->frame[1] = (struct ring_trace_frame){0x3200, 0x900, 3, 0};
	t->frame[0] = (struct ring_trace_frame){0x1100, 0x800, 2, RING_TRACE_F_EXACT};
	ring_traceback_publish(&f->w, t);
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_string_equal(frame_of(job, 0)->module, "libc.so.6");
	assert_false(frame_of(job, 0)->plumbing);
	assert_string_equal(frame_of(job, 1)->module, "libinquest-probe.so");
	assert_true(frame_of(job, 1)->plumbing);
	assert_false(frame_of(job, 2)->plumbing);
	/* Further out, the program was in a call that we only pass through. */
	assert_string_equal(frame_of(job, 3)->module, "libinquest-probe.so");
	assert_false(frame_of(job, 3)->plumbing);
	job_free(job);
}

static void one_object_has_one_exhibit(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	size_t modules = 0;
	struct job *job;

	ring_traceback_publish(&f->w, a_death(f));
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	fatal_modules_add(&evidence, FORGE_HOST);
	fatal_modules_add(&evidence, FORGE_HOST);
	for (size_t i = 0; i < evidence.n; i++)
		modules += evidence.at[i].kind == EXHIBIT_MODULE;
	assert_int_equal(modules, 1);
	job = decoded(&evidence);
	assert_string_equal(frame_of(job, 0)->function, "innermost_of_all");
	assert_true(frame_of(job, 2)->guessed);
	job_free(job);
}

static void another_file_of_that_name_gives_none(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	struct ring_traceback *t = a_death(f);
	uint64_t offset = t->frame[0].pc - t->module[0].bias;
	struct job *job;

	t->module[0].build_id_len = 20;
	t->module[0].build_id[3] ^= 0x10;
	ring_traceback_publish(&f->w, t);
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	fatal_modules_add(&evidence, FORGE_HOST);
	assert_int_equal(evidence.ngaps, 1);
	job = decoded(&evidence);
	assert_string_equal(frame_of(job, 0)->function, "");
	assert_true(strlen(frame_of(job, 0)->module) > 0);
	assert_int_equal(frame_of(job, 0)->offset, offset);
	job_free(job);
}

static void what_was_survived_is_no_stack(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	struct job *job;

	ring_traceback_publish(&f->w, a_death(f));
	forge_gather(&evidence);
	forge_liveness(&evidence, 0, true);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->nstacks, 0);
	job_free(job);
}

static void what_is_missing_is_said(void **state)
{
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	struct ring_traceback *t = a_death(f);
	struct job *job;

	add_python(t);
	t->nframes = 0;
	t->end = RING_TRACE_NO_UNWINDER;
	t->python = RING_TRACE_PY_CUT;
	ring_traceback_publish(&f->w, t);
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->stacks[0].nframes, 1);
	assert_non_null(strstr(job->stacks[0].cut, "libunwind"));
	assert_non_null(strstr(job->stacks[0].cut, "Python"));
	job_free(job);
}

static const char *error_of(const char *message, const char *exception)
{
	static char error[200];
	struct evidence evidence = {0};
	struct fixture *f = forge_rank(0);
	struct ring_traceback *t = a_death(f);
	struct job *job;

	ring_text_append(&f->w, "so far so good", 14);
	if (message)
		t->message = ring_traceback_text(t, message, (uint32_t)strlen(message));
	if (exception)
		t->exception = ring_traceback_text(t, exception, (uint32_t)strlen(exception));
	ring_traceback_publish(&f->w, t);
	forge_gather(&evidence);
	forge_ring(&evidence, f);
	job = decoded(&evidence);
	assert_int_equal(job->nlogs, 1);
	snprintf(error, sizeof(error), "%s", job->logs[0].error);
	job_free(job);
	return error;
}

static void last_words_of_the_libraries_are_in_its_log(void **state)
{
	assert_string_equal(error_of(NULL, NULL), "");
	assert_string_equal(error_of("free(): invalid pointer", NULL), "free(): invalid pointer");
	assert_string_equal(error_of(NULL, "N3job9bad_batchE"),
		"terminate called after throwing an instance of 'job::bad_batch'");
	assert_string_equal(error_of(NULL, "St13runtime_error"),
		"terminate called after throwing an instance of 'std::runtime_error'");
	assert_string_equal(
		error_of(NULL, "i"), "terminate called after throwing an instance of 'i'");
}

/* Law 4: any bytes in the traceback, and whoever gathers or reads it comes through. */
static void forged_tracebacks_do_no_harm(void **state)
{
	unsigned seed = 11;

	for (int round = 0; round < 60; round++) {
		struct evidence evidence = {0};
		struct fixture *f = forge_rank(0);
		struct ring_traceback *t = a_death(f);
		uint8_t *bytes = (uint8_t *)t;

		ring_traceback_publish(&f->w, t);
		for (size_t i = 0; i < sizeof(*t); i++)
			if (rand_r(&seed) % (round + 1) == 0)
				bytes[i] = (uint8_t)rand_r(&seed);
		forge_gather(&evidence);
		forge_ring(&evidence, f);
		fatal_modules_add(&evidence, FORGE_HOST);
		job_free(decoded(&evidence));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_come_from_the_files),
		cmocka_unit_test(our_own_way_to_abort_is_plumbing),
		cmocka_unit_test(one_object_has_one_exhibit),
		cmocka_unit_test(another_file_of_that_name_gives_none),
		cmocka_unit_test(what_was_survived_is_no_stack),
		cmocka_unit_test(what_is_missing_is_said),
		cmocka_unit_test(last_words_of_the_libraries_are_in_its_log),
		cmocka_unit_test(forged_tracebacks_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : the_one_that_called(0) == -1;
}
