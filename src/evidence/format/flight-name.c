/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps of PyTorch's Flight Recorder as evidence: files of one rank each, raw.
 *
 * WHOSE IT IS. A dump says neither rank nor host nor job. The file's name ends in the rank's
 * number (decode-flight.h reads it), and what stands before it is PyTorch's prefix, which anybody
 * may have set. So a file is told by its first bytes; and in a folder where some are dumps, their
 * namesakes with other numbers are, too, whatever is in them: one that was cut to nothing is to
 * be missed, not passed over. Which of them are one job is for who decodes them all to say.
 */
#include "evidence/format/flight-name.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/meter.h"
#include "evidence/format/bundle.h"
#include "evidence/gather/source.h"

/* How many bytes of a file tell what it is. */
#define FLIGHT_START 4096

/* A number of more digits is no rank. */
#define RANK_DIGITS 6

static const char *const endings[] = {".json", ".pickle", ".pkl", ".bin"};

/* -- names ------------------------------------------------------------------------------------- */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns the length of the name without an ending that only tells the format. */
static size_t stem_of(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t end = strlen(endings[i]);

		if (len > end && !strcmp(name + len - end, endings[i]))
			return len - end;
	}
	return len;
}

int flight_rank_of(const char *name, size_t *ret_prefix)
{
	size_t end = stem_of(name), from = end;
	int rank = 0;

	while (from && isdigit((unsigned char)name[from - 1]))
		from--;
	*ret_prefix = from;
	if (from == end || end - from > RANK_DIGITS)
		return -1;
	for (size_t i = from; i < end; i++)
		rank = rank * 10 + (name[i] - '0');
	return rank;
}

/* -- first bytes ------------------------------------------------------------------------------- */

/* True if it begins as a pickle or as a JSON object does. */
static bool begins_well(const char *start, size_t len)
{
	if (len >= 2 && (unsigned char)start[0] == 0x80)
		return start[1] >= 2 && start[1] <= 5;
	return len && start[0] == '{';
}

/* True if a key is there that only a dump has. */
static bool has_key(const char *start, size_t len)
{
	static const char *const keys[] = {"pg_config", "pg_status", "collective_seq_id",
		"comm_lib_version", "nccl_version", "nccl_comm_state"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (memmem(start, len, keys[i], strlen(keys[i])))
			return true;
	return false;
}

/* What a file is by its first bytes: no dump, perhaps a dump, surely a dump. */
enum look { LOOK_NO, LOOK_MAYBE, LOOK_YES };

/*
 * Looks at the first bytes of a regular file; others are no dumps, and a pipe would wait for a
 * writer.
 */
static enum look look_at(const char *path)
{
	char start[FLIGHT_START];
	struct stat st;
	ssize_t got = 0;
	int fd;

	fd = file_open(path);
	if (fd < 0)
		return LOOK_NO;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		got = read(fd, start, sizeof(start));
	close(fd);
	if (got <= 0 || !begins_well(start, (size_t)got))
		return LOOK_NO;
	/* An answer of NCCL RAS is no dump, though it names the library's version, too. */
	if (*start == '{' && memmem(start, (size_t)got, "\"communicators", 14))
		return LOOK_NO;
	return has_key(start, (size_t)got) ? LOOK_YES : LOOK_MAYBE;
}

bool flight_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* -- reading ----------------------------------------------------------------------------------- */

int flight_read(const char *path, struct evidence *into, struct complaint *why)
{
	struct exhibit about = {.kind = EXHIBIT_FLIGHT};
	struct str bytes = {0};
	size_t prefix, len;
	struct stat st;
	int error;

	about.rank = flight_rank_of(base_of(path), &prefix);
	about.label = (char *)base_of(path);
	if (about.rank < 0)
		return complaint_set(why,
			"%s: whose dump is it? Its name has to end in the rank's number", path);
	if (stat(path, &st) == 0 &&
		!meter_admits(into->meter, (uint64_t)st.st_size, METER_READING))
		return complaint_set(why, "%s: %s", path, METER_REFUSED);
	error = file_read(path, BUNDLE_EXHIBIT_CAP, &bytes, why);
	if (error < 0)
		return error;
	if (stat(path, &st) == 0)
		about.when = st.st_mtim.tv_sec * CLOCK_NS_PER_S + st.st_mtim.tv_nsec;
	len = bytes.len;
	evidence_add(into, &about, (uint8_t *)str_detach(&bytes), len);
	return 0;
}

/* True if two names differ in their numbers only. */
static bool are_namesakes(const char *a, const char *b)
{
	size_t prefix_a, prefix_b;

	return flight_rank_of(a, &prefix_a) >= 0 && flight_rank_of(b, &prefix_b) >= 0 &&
	       prefix_a == prefix_b && !memcmp(a, b, prefix_a);
}

/*
 * Keeps those files of a folder that are surely dumps, and their namesakes; removes the others from
 * the list.
 */
static void keep_dumps(struct file_names *names)
{
	ARRAY(const char *) sure = {0};
	const char *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < names->list.nr; i++)
		if (look_at(names->list.items[i]) == LOOK_YES)
			*array_add(&sure) = base_of(names->list.items[i]);
	for (size_t i = 0; i < names->list.nr; i++) {
		const char *name = base_of(names->list.items[i]);
		bool is = last && are_namesakes(name, last);

		for (size_t k = 0; k < sure.nr && !is; k++)
			is = sure.items[k] == name || are_namesakes(name, sure.items[k]);
		if (is && !flight_is_folder(names->list.items[i])) {
			last = name;
			names->list.items[n++] = names->list.items[i];
		} else {
			free(names->list.items[i]);
		}
	}
	names->list.nr = n;
	array_release(&sure);
}

/* -- Ray --------------------------------------------------------------------------------------- */

/*
 * Ray Train (ray-project/ray 057a6c42, train/v2/_internal/callbacks/nccl_ras.py) puts what it asked
 * of its workers side by side into folders of an experiment's "hang_detector", these among them.
 */
#define RAY_FOLDER "hang_detector"
#define RAY_DUMPS  "flight_recorder"

/* True if a file in that folder is surely a dump. */
static bool has_dump(const char *path)
{
	struct file_names names = {0};
	bool is = false;

	if (file_list(path, &names, NULL) < 0)
		return false;
	for (size_t i = 0; i < names.list.nr && !is; i++)
		is = look_at(names.list.items[i]) == LOOK_YES;
	file_names_release(&names);
	return is;
}

/*
 * Returns the folder where the dumps of `path` lie: that folder, or one of Ray's below it. NULL:
 * nowhere. The caller frees it.
 */
static char *find_dumps(const char *path)
{
	static const char *const below[] = {"", "/" RAY_DUMPS, "/" RAY_FOLDER "/" RAY_DUMPS};

	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		struct str folder = {0};

		str_printf(&folder, "%s%s", path, below[i]);
		if (has_dump(str_text(&folder)))
			return str_detach(&folder);
		str_release(&folder);
	}
	return NULL;
}

/* True if the last part of path[0..end) is `name`. */
static bool is_called(const char *path, size_t end, const char *name)
{
	size_t len = strlen(name);

	return end > len && path[end - len - 1] == '/' && !memcmp(path + end - len, name, len);
}

bool flight_is_below(const char *path, int depth)
{
	const char *slash = strrchr(path, '/');
	size_t end = slash ? (size_t)(slash - path) : 0, most = strlen(RAY_DUMPS) + 1;
	struct str folder = {0};
	bool is;

	if (!is_called(path, end, RAY_DUMPS) ||
		!(depth == 1 || (depth == 2 && is_called(path, end - most, RAY_FOLDER))))
		return false;
	str_add_bytes(&folder, path, end);
	is = has_dump(str_text(&folder));
	str_release(&folder);
	return is;
}

int flight_list(const char *folder, struct file_names *into, struct complaint *why)
{
	char *dumps = find_dumps(folder);
	int error = file_list(dumps ? dumps : folder, into, why);

	if (!error)
		keep_dumps(into);
	free(dumps);
	return error;
}

/*
 * Adds all dumps of a folder; a gap for each that cannot be read. Negative with words if none can.
 */
static int gather_folder(const char *path, struct evidence *into, struct complaint *why)
{
	struct file_names names = {0};
	size_t read = 0;

	if (flight_list(path, &names, why) < 0)
		return -1;
	for (size_t i = 0; i < names.list.nr; i++) {
		struct complaint ours = {0};

		if (flight_read(names.list.items[i], into, &ours) == 0)
			read++;
		else
			evidence_add_gap(into, "", 0, complaint_text(&ours));
		complaint_release(&ours);
	}
	file_names_release(&names);
	return read ? 0 : complaint_set(why, FLIGHT_NONE_IN "%s", path);
}

static int flight_gather(const char *path, struct evidence *into, struct complaint *why)
{
	return flight_is_folder(path) ? gather_folder(path, into, why)
				      : flight_read(path, into, why);
}

/*
 * True if the file is surely a dump, or may be one by its first bytes and has a rank in its name;
 * or if it is a folder with dumps.
 */
static bool flight_claims(const char *arg)
{
	char *dumps;
	size_t prefix;

	if (!flight_is_folder(arg)) {
		enum look look = look_at(arg);

		return look == LOOK_YES ||
		       (look == LOOK_MAYBE && flight_rank_of(base_of(arg), &prefix) >= 0);
	}
	dumps = find_dumps(arg);
	free(dumps);
	return dumps != NULL;
}

const struct source source_flight = {
	.name = "flight",
	.claims = flight_claims,
	.gather = flight_gather,
};
