/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzzer's main() where there is no libFuzzer (gcc has none), and the one that `check` plays:
 *
 *	TARGET [-seconds=N] [-runs=N] [-seed=N] [-max_len=N] FILE|FOLDER...
 *
 * It gives the target each file as it is, then changed ones: a few bytes flipped, cut, moved,
 * repeated, taken from another file, or overwritten by a number that readers get wrong; in one part
 * of an input that has some (change.h). It knows nothing of what is covered. What is being tried
 * stands in the file crash-TARGET until it is over, so that whatever ends the program leaves it
 * there: -again=crash-TARGET tries it once more.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "change.h"

#pragma weak LLVMFuzzerCustomMutator

#define CHANGES 6
#define SEED_MOST (64u << 20)

struct fuzz {
	ARRAY(struct str) seeds;
	uint64_t draw;
	size_t max_len;
	long seconds, runs;
	uint8_t *held; /* a shared map of the file: it outlives us */
};

static uint64_t draw(struct fuzz *fuzz, uint64_t below)
{
	fuzz->draw ^= fuzz->draw << 13;
	fuzz->draw ^= fuzz->draw >> 7;
	fuzz->draw ^= fuzz->draw << 17;
	return below ? fuzz->draw % below : 0;
}

/* -- changes ---------------------------------------------------------------------------------- */

static void put_number(struct fuzz *fuzz, uint8_t *bytes, size_t len)
{
	static const uint64_t odd[] = {0, 1, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN, INT32_MAX,
		UINT32_MAX, (uint64_t)1 << 32, UINT16_MAX, 127, 128, 255, (uint64_t)1 << 62};
	uint64_t number = odd[draw(fuzz, sizeof(odd) / sizeof(*odd))] + draw(fuzz, 2);
	size_t width = (size_t)1 << draw(fuzz, 4), at;

	if (len < width)
		return;
	at = draw(fuzz, len - width + 1);
	memcpy(bytes + (draw(fuzz, 2) ? at / width * width : at), &number, width);
}

/* Digits become the largest number there is, and one more. */
static size_t put_digits(struct fuzz *fuzz, uint8_t *bytes, size_t len, size_t room)
{
	static const char *const odd[] = {
		"9223372036854775807", "-9223372036854775808", "18446744073709551615", "-1",
		"1e999"};
	const char *text = odd[draw(fuzz, sizeof(odd) / sizeof(*odd))];
	size_t at = draw(fuzz, len + 1), end, n = strlen(text);

	while (at < len && (bytes[at] < '0' || bytes[at] > '9'))
		at++;
	for (end = at; end < len && bytes[end] >= '0' && bytes[end] <= '9';)
		end++;
	if (at == end || at + n + (len - end) > room)
		return len;
	memmove(bytes + at + n, bytes + end, len - end);
	memcpy(bytes + at, text, n);
	return at + n + (len - end);
}

static size_t graft(struct fuzz *fuzz, uint8_t *bytes, size_t len, size_t room)
{
	const struct str *other = &fuzz->seeds.items[draw(fuzz, fuzz->seeds.nr)];
	size_t at = draw(fuzz, len + 1), from = draw(fuzz, other->len + 1);
	size_t n = draw(fuzz, other->len - from + 1);

	if (n > room - at)
		n = room - at;
	if (n)
		memcpy(bytes + at, other->text + from, n);
	return at + n > len ? at + n : len;
}

static size_t repeat(struct fuzz *fuzz, uint8_t *bytes, size_t len, size_t room)
{
	size_t at = draw(fuzz, len + 1), n = draw(fuzz, len - at + 1);

	if (n > 4096)
		n = draw(fuzz, 4096);
	if (n > room - len)
		n = room - len;
	memmove(bytes + at + n, bytes + at, len - at);
	return len + n;
}

static size_t drop(struct fuzz *fuzz, uint8_t *bytes, size_t len)
{
	size_t at = draw(fuzz, len + 1), n = draw(fuzz, len - at + 1);

	if (n > 256 && draw(fuzz, 4))
		n = draw(fuzz, 256);
	memmove(bytes + at, bytes + at + n, len - at - n);
	return len - n;
}

static size_t change(struct fuzz *fuzz, uint8_t *bytes, size_t len, size_t room)
{
	switch (draw(fuzz, 8)) {
	case 0:
		return draw(fuzz, 4) ? len : draw(fuzz, len + 1);
	case 1:
		return graft(fuzz, bytes, len, room);
	case 2:
		return repeat(fuzz, bytes, len, room);
	case 3:
		return drop(fuzz, bytes, len);
	case 4:
		return put_digits(fuzz, bytes, len, room);
	case 5:
		put_number(fuzz, bytes, len);
		return len;
	default:
		if (len)
			bytes[draw(fuzz, len)] ^= (uint8_t)(1u << draw(fuzz, 8));
		return len;
	}
}

/* Whom LLVMFuzzerMutate() asks for chance: it is called by a target, which knows of nobody. */
static struct fuzz *playing;

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most)
{
	return change(playing, bytes, size, most);
}

static size_t change_input(struct fuzz *fuzz, uint8_t *bytes, size_t len)
{
	if (!LLVMFuzzerCustomMutator)
		return change(fuzz, bytes, len, fuzz->max_len);
	return LLVMFuzzerCustomMutator(
		bytes, len, fuzz->max_len, (unsigned)draw(fuzz, UINT32_MAX));
}

/* -- runs ------------------------------------------------------------------------------------- */

/* From memory of exactly its size, so that a byte too far is seen. */
static void try(struct fuzz *fuzz, const uint8_t *bytes, size_t len)
{
	uint8_t *exact = malloc(len ? len : 1);
	uint64_t said = len;

	if (!exact)
		abort();
	memcpy(fuzz->held, &said, sizeof(said));
	memcpy(fuzz->held + sizeof(said), bytes, len);
	memcpy(exact, bytes, len);
	LLVMFuzzerTestOneInput(exact, len);
	free(exact);
}

static void read_seed(struct fuzz *fuzz, const char *path)
{
	struct file_names names = {0};
	struct complaint why = {0};
	struct str bytes = {0};
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		file_list(path, &names, NULL);
		for (size_t i = 0; i < names.list.nr; i++)
			read_seed(fuzz, names.list.items[i]);
		file_names_release(&names);
		return;
	}
	if (file_read(path, SEED_MOST, &bytes, &why) < 0) {
		fprintf(stderr, "%s\n", complaint_text(&why));
		exit(2);
	}
	str_cut(&bytes, fuzz->max_len);
	*array_add(&fuzz->seeds) = bytes;
}

/* What stands in a file that hold() made: how long it is, and it. */
static void read_held(struct fuzz *fuzz, const char *path)
{
	struct complaint why = {0};
	struct str bytes = {0};
	uint64_t len;

	if (file_read(path, SEED_MOST, &bytes, &why) < 0 || bytes.len < sizeof(len)) {
		fprintf(stderr, "%s: %s\n", path, complaint_text(&why));
		exit(2);
	}
	memcpy(&len, bytes.text, sizeof(len));
	memmove(bytes.text, bytes.text + sizeof(len), bytes.len - sizeof(len));
	str_cut(&bytes, len < bytes.len - sizeof(len) ? len : bytes.len - sizeof(len));
	*array_add(&fuzz->seeds) = bytes;
	fuzz->seconds = 0;
}

static bool option(const char *arg, const char *name, long *ret)
{
	size_t n = strlen(name);

	if (strncmp(arg, name, n) != 0)
		return false;
	*ret = strtol(arg + n, NULL, 10);
	return true;
}

static void hold(struct fuzz *fuzz, const char *program, char path[static 256])
{
	const char *slash = strrchr(program, '/');
	size_t size = fuzz->max_len + sizeof(uint64_t);
	int fd;

	snprintf(path, 256, "crash-%s", slash ? slash + 1 : program);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)size) < 0) {
		perror(path);
		exit(2);
	}
	fuzz->held = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (fuzz->held == MAP_FAILED)
		exit(2);
}

static long play(struct fuzz *fuzz)
{
	time_t until = time(NULL) + fuzz->seconds;
	uint8_t *bytes = alloc_zeroed(1, fuzz->max_len);
	long runs = 0;

	playing = fuzz;
	for (; (!fuzz->runs || runs < fuzz->runs) && time(NULL) < until; runs++) {
		const struct str *seed = &fuzz->seeds.items[draw(fuzz, fuzz->seeds.nr)];
		size_t len = seed->len;

		memcpy(bytes, str_text(seed), len);
		for (uint64_t n = 1 + draw(fuzz, CHANGES); n; n--)
			len = change_input(fuzz, bytes, len);
		try(fuzz, bytes, len);
	}
	free(bytes);
	return runs;
}

int main(int argc, char **argv)
{
	struct fuzz fuzz = {.draw = 88172645463325252u, .max_len = 1 << 20, .seconds = 60};
	long seed = 0, max_len = 0;
	char path[256];

	for (int i = 1; i < argc; i++) {
		if (option(argv[i], "-seconds=", &fuzz.seconds) ||
			option(argv[i], "-runs=", &fuzz.runs) || option(argv[i], "-seed=", &seed))
			continue;
		if (option(argv[i], "-max_len=", &max_len))
			fuzz.max_len = (size_t)max_len;
		else if (!strncmp(argv[i], "-again=", 7))
			read_held(&fuzz, argv[i] + 7);
		else
			read_seed(&fuzz, argv[i]);
	}
	if (!fuzz.seeds.nr)
		*array_add(&fuzz.seeds) = (struct str){0};
	fuzz.draw += (uint64_t)seed * 0x9e3779b97f4a7c15u;
	hold(&fuzz, argv[0], path);
	for (size_t i = 0; i < fuzz.seeds.nr; i++)
		try(&fuzz, (const uint8_t *)str_text(&fuzz.seeds.items[i]),
			fuzz.seeds.items[i].len);
	printf("%s: %zu seeds and %ld changed ones\n", argv[0], fuzz.seeds.nr, play(&fuzz));
	unlink(path);
	for (size_t i = 0; i < fuzz.seeds.nr; i++)
		str_release(&fuzz.seeds.items[i]);
	array_release(&fuzz.seeds);
	return 0;
}
