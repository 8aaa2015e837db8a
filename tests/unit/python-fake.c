/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/python-fake.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/unit/unit.h"

#define FAKE_OBJECT 256u /* any structure but those of 3.8's size */

static int fake_read(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	struct python_fake *fake = (struct python_fake *)memory;

	fake->nreads++;
	if (at < FAKE_BASE || at - FAKE_BASE > FAKE_SIZE || len > FAKE_SIZE - (at - FAKE_BASE))
		return -EFAULT;
	memcpy(to, fake->bytes + (at - FAKE_BASE), len);
	return 0;
}

void python_fake_put(struct python_fake *fake, uint64_t at, uint64_t value, size_t size)
{
	assert_true(at >= FAKE_BASE && at - FAKE_BASE + size <= FAKE_SIZE);
	memcpy(fake->bytes + (at - FAKE_BASE), &value, size);
}

uint64_t python_fake_get(const struct python_fake *fake, uint64_t at)
{
	uint64_t value;

	assert_true(at >= FAKE_BASE && at - FAKE_BASE + sizeof(value) <= FAKE_SIZE);
	memcpy(&value, fake->bytes + (at - FAKE_BASE), sizeof(value));
	return value;
}

static uint64_t fake_new_object(struct python_fake *fake, size_t size)
{
	uint64_t at = fake->next;

	fake->next += (size + 15) & ~(size_t)15;
	assert_true(fake->next - FAKE_BASE <= FAKE_SIZE);
	return at;
}

/* Offsets of our own, as an interpreter of 3.13 or later may have: each field somewhere else. */
static struct python_offsets fake_offsets(void)
{
	return (struct python_offsets){.interpreters = 800,
		.interp_next = 24,
		.interp_id = 32,
		.interp_threads = 72,
		.interp_gil = 16,
		.gil_at = 64,
		.gil_holder = 64 + 8,
		.gil_locked = 64 + 16,
		.thread_next = 8,
		.thread_interp = 16,
		.thread_frame = 72,
		.thread_ident = 152,
		.thread_tid = 160,
		.frame_back = 8,
		.frame_code = 0,
		.frame_at = 56,
		.frame_entry = 70,
		.code_file = 112,
		.code_name = 128,
		.code_line = 68,
		.code_lines = 136,
		.code_start = 208,
		.str_length = 16,
		.str_state = 32,
		.str_ascii = 40,
		.bytes_size = 16,
		.bytes_data = 32};
}

/* Writes the interpreter's own table, as its row says which word is what. */
static void fake_table(struct python_fake *fake, const struct python_offsets *row)
{
	struct python_offsets of = fake_offsets();
	uint32_t words[sizeof(of) / sizeof(uint32_t)], values[sizeof(of) / sizeof(uint32_t)];

	memcpy(words, row, sizeof(of));
	memcpy(values, &of, sizeof(of));
	memcpy(fake->bytes + (fake->runtime - FAKE_BASE), "xdebugpy", 8);
	python_fake_put(fake, fake->runtime + 8, fake->version, 8);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i])
			python_fake_put(fake, fake->runtime + words[i] * 8, values[i], 8);
	of.gil_holder -= of.gil_at;
	of.gil_locked -= of.gil_at;
	fake->layout = (struct python_layout){.version = fake->version,
		.runs = PYTHON_RUNS_SHIMS,
		.lines = PYTHON_LINES_LOCATIONS,
		.str_compact = of.str_ascii + 16,
		.at = of};
}

struct python_fake *python_fake_new(uint32_t version)
{
	struct python_fake *fake = alloc_zeroed(1, sizeof(*fake));

	fake->memory.read = fake_read;
	fake->version = version;
	fake->next = FAKE_BASE;
	fake->runtime = fake_new_object(fake, 1536);
	if (python_layout_row(version))
		fake->layout = *python_layout_row(version);
	else if (python_layout_words(version))
		fake_table(fake, python_layout_words(version));
	return fake;
}

uint64_t python_fake_interpreter(struct python_fake *fake, uint64_t number)
{
	const struct python_offsets *of = &fake->layout.at;
	uint64_t at = fake_new_object(fake, 512), gil = fake_new_object(fake, 32);

	python_fake_put(fake, at + of->interp_next,
		python_fake_get(fake, fake->runtime + of->interpreters), 8);
	python_fake_put(fake, fake->runtime + of->interpreters, at, 8);
	python_fake_put(fake, at + of->interp_id, number, 8);
	if (!of->current)
		python_fake_put(fake, at + of->interp_gil, gil, 8);
	return at;
}

uint64_t python_fake_thread(struct python_fake *fake, uint64_t interpreter, uint32_t tid)
{
	const struct python_offsets *of = &fake->layout.at;
	uint64_t at = fake_new_object(fake, FAKE_OBJECT);
	uint64_t pthread = fake_new_object(fake, 0x2e0);

	python_fake_put(fake, at + of->thread_next,
		python_fake_get(fake, interpreter + of->interp_threads), 8);
	python_fake_put(fake, interpreter + of->interp_threads, at, 8);
	python_fake_put(fake, at + of->thread_interp, interpreter, 8);
	python_fake_put(fake, at + of->thread_ident, pthread, 8);
	python_fake_put(fake, pthread + 0x2d0, tid, 4);
	if (of->thread_tid)
		python_fake_put(fake, at + of->thread_tid, tid, 8);
	if (fake->layout.cframes) /* the root, which belongs to no call of the loop */
		python_fake_put(fake, at + of->thread_frame, fake_new_object(fake, 32), 8);
	return at;
}

uint64_t python_fake_text(
	struct python_fake *fake, const void *characters, size_t nr, unsigned kind)
{
	const struct python_layout *layout = &fake->layout;
	uint64_t at = fake_new_object(fake, layout->str_compact + nr * kind + kind);
	const uint8_t *bytes = characters;
	bool ascii = kind == 1;

	for (size_t i = 0; i < nr * kind && ascii; i++)
		ascii = bytes[i] < 0x80;
	python_fake_put(fake, at + layout->at.str_length, nr, 8);
	python_fake_put(
		fake, at + layout->at.str_state, kind << 2 | 1u << 5 | (unsigned)ascii << 6, 4);
	memcpy(fake->bytes + (at - FAKE_BASE) +
			(ascii ? layout->at.str_ascii : layout->str_compact),
		bytes, nr * kind);
	return at;
}

/* A line table that says "the first line" for the first instructions. */
static uint64_t fake_lines(struct python_fake *fake)
{
	static const uint8_t lnotab[] = {200, 1};
	static const uint8_t ranges[] = {200, 0};
	static const uint8_t locations[] = {0x80 | 10 << 3 | 7, 0, 0, 0x80 | 13 << 3 | 7, 2};
	const uint8_t *bytes = lnotab;
	size_t size = sizeof(lnotab);
	uint64_t at = fake_new_object(fake, 48);

	if (fake->layout.lines == PYTHON_LINES_RANGES)
		bytes = ranges;
	if (fake->layout.lines == PYTHON_LINES_LOCATIONS) {
		bytes = locations;
		size = sizeof(locations);
	}
	python_fake_put(fake, at + fake->layout.at.bytes_size, size, 8);
	memcpy(fake->bytes + (at - FAKE_BASE) + fake->layout.at.bytes_data, bytes, size);
	return at;
}

uint64_t python_fake_code(
	struct python_fake *fake, const char *file, const char *function, uint32_t line)
{
	const struct python_offsets *of = &fake->layout.at;
	uint64_t at = fake_new_object(fake, FAKE_OBJECT);

	python_fake_put(fake, at + of->code_file, python_fake_text(fake, file, strlen(file), 1), 8);
	python_fake_put(
		fake, at + of->code_name, python_fake_text(fake, function, strlen(function), 1), 8);
	python_fake_put(fake, at + of->code_line, line, 4);
	python_fake_put(fake, at + of->code_lines, fake_lines(fake), 8);
	return at;
}

/* Where the thread's innermost frame is told. */
static uint64_t fake_innermost(const struct python_fake *fake, uint64_t thread)
{
	uint64_t at = thread + fake->layout.at.thread_frame;

	return fake->layout.cframes ? python_fake_get(fake, at) + fake->layout.at.cframe_frame : at;
}

static uint64_t fake_push(struct python_fake *fake, uint64_t thread)
{
	uint64_t at = fake_new_object(fake, 128), innermost = fake_innermost(fake, thread);

	python_fake_put(fake, at + fake->layout.at.frame_back, python_fake_get(fake, innermost), 8);
	python_fake_put(fake, innermost, at, 8);
	return at;
}

uint64_t python_fake_frame(struct python_fake *fake, uint64_t thread, uint64_t code)
{
	const struct python_offsets *of = &fake->layout.at;
	uint64_t at = fake_push(fake, thread);

	python_fake_put(fake, at + of->frame_code, code, 8);
	if (fake->layout.runs == PYTHON_RUNS_OF_ONE)
		python_fake_put(fake, at + of->frame_at, 2, 4);
	else
		python_fake_put(fake, at + of->frame_at, code + of->code_start + 4, 8);
	if (fake->layout.runs == PYTHON_RUNS_CFRAMES)
		python_fake_put(fake, at + of->frame_entry, fake->entry, 1);
	fake->entry = 0;
	return at;
}

uint64_t python_fake_run(struct python_fake *fake, uint64_t thread)
{
	const struct python_offsets *of = &fake->layout.at;
	uint64_t at, frame = python_fake_get(fake, fake_innermost(fake, thread));

	if (fake->layout.runs == PYTHON_RUNS_OF_ONE)
		return 0;
	fake->entry = 1;
	if (fake->layout.cframes) {
		at = fake_new_object(fake, 32);
		python_fake_put(fake, at + of->cframe_previous,
			python_fake_get(fake, thread + of->thread_frame), 8);
		python_fake_put(fake, at + of->cframe_frame, frame, 8);
		python_fake_put(fake, thread + of->thread_frame, at, 8);
		if (fake->layout.runs == PYTHON_RUNS_CFRAMES)
			return at;
	}
	at = fake_push(fake, thread);
	python_fake_put(fake, at + of->frame_entry, 3, 1);
	return at;
}

void python_fake_gil(struct python_fake *fake, uint64_t interpreter, uint64_t thread)
{
	const struct python_offsets *of = &fake->layout.at;
	uint64_t gil;

	if (of->current) {
		python_fake_put(fake, fake->runtime + of->current, thread, 8);
		return;
	}
	gil = python_fake_get(fake, interpreter + of->interp_gil);
	python_fake_put(fake, gil + of->gil_locked, thread != 0, 4);
	if (thread)
		python_fake_put(fake, gil + of->gil_holder, thread, 8);
}

static uint64_t fake_exception(struct python_fake *fake, const char *type, const char *text)
{
	uint64_t value = fake_new_object(fake, 64), class = fake_new_object(fake, 64);
	uint64_t name = fake_new_object(fake, strlen(type) + 1), args = fake_new_object(fake, 64);

	memcpy(fake->bytes + (name - FAKE_BASE), type, strlen(type) + 1);
	python_fake_put(fake, class + 24, name, 8);
	python_fake_put(fake, value + 8, class, 8);
	python_fake_put(fake, value + 24, args, 8);
	python_fake_put(fake, args + 16, 1, 8);
	python_fake_put(fake, args + 24, python_fake_text(fake, text, strlen(text), 1), 8);
	return value;
}

void python_fake_handler(
	struct python_fake *fake, uint64_t thread, const char *type, const char *text)
{
	bool old = fake->layout.runs == PYTHON_RUNS_OF_ONE;
	uint64_t handler = fake_new_object(fake, 64), of = fake->layout.at.thread_exc;

	python_fake_put(
		fake, handler + (old ? 24 : 8), python_fake_get(fake, thread + of), 8);
	if (type)
		python_fake_put(
			fake, handler + (old ? 8 : 0), fake_exception(fake, type, text), 8);
	python_fake_put(fake, thread + of, handler, 8);
}
