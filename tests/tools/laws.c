/* SPDX-License-Identifier: Apache-2.0 */

/*
 * laws BUNDLE|DUMPS [RANK...]: holds one bundle, or a folder of the Flight Recorder's dumps, to
 * the laws of the house.
 *
 *	law 1	written and read again, it gives the same verdict, byte for byte
 *	law 2	so it does in any order of exhibits
 *	law 3	with any exhibit left out, any process' or kind's, no rank is named but those given
 *	law 4	cut or flipped anywhere, it is judged without a crash, and names nobody else either
 *
 * Says what breaks them, one line each; exit 1 if anything did, 2 if it cannot be read.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complaint.h"
#include "base/file.h"
#include "base/str.h"
#include "decode/decode.h"
#include "evidence/format/bundle.h"
#include "evidence/format/exhibit.h"
#include "evidence/gather/source.h"
#include "report/report.h"
#include "verdict/verdict.h"

#define SHUFFLES 4
#define DAMAGES	 48 /* of each kind */

struct court {
	struct evidence evidence;
	struct str bytes; /* of the bundle */
	struct str words; /* JSON of the undamaged */
	int *allowed;	  /* world ranks that may be named */
	int nallowed;
	uint64_t random;
	int broken;
};

static uint64_t draw(struct court *court, uint64_t bound)
{
	court->random = court->random * 6364136223846793005ull + 1442695040888963407ull;
	return bound ? (court->random >> 33) % bound : 0;
}

static void complain(struct court *court, int law, const char *case_, const char *words)
{
	printf("law %d: %s: %s\n", law, case_, words);
	court->broken++;
}

static bool may_be_named(const struct court *court, int world_rank)
{
	for (int i = 0; i < court->nallowed; i++)
		if (court->allowed[i] == world_rank)
			return true;
	return false;
}

/* Also writes the text, which nobody reads: it must not crash. */
static void write_text(const struct verdicts *verdicts)
{
	static const struct report_options options = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (file) {
		report_text.write(file, verdicts, &options);
		fclose(file);
	}
	free(text);
}

/* Judges the evidence; appends its JSON to into. Names of others break the law. */
static void judge(struct court *court, const struct evidence *evidence, int law,
	const char *case_, struct str *into)
{
	struct job *job = decode_job(evidence);
	struct verdicts *verdicts = verdicts_of(job);

	report_json_add(into, verdicts);
	write_text(verdicts);
	for (size_t i = 0; i < verdicts->n; i++)
		for (size_t k = 0; k < verdicts->at[i].culprits.n; k++) {
			struct rank_index index = verdicts->at[i].culprits.at[k];

			if (may_be_named(court, job_rank(job, index)->world_rank.n))
				continue;
			complain(court, law, case_, str_text(into));
			i = verdicts->n - 1;
			break;
		}
	verdicts_free(verdicts);
	job_free(job);
}

static void judge_only(
	struct court *court, const struct evidence *evidence, int law, const char *case_)
{
	struct str words = {0};

	judge(court, evidence, law, case_, &words);
	str_release(&words);
}

static void judge_same(
	struct court *court, const struct evidence *evidence, int law, const char *case_)
{
	struct str words = {0};

	judge(court, evidence, law, case_, &words);
	if (strcmp(str_text(&words), str_text(&court->words)))
		complain(court, law, case_, str_text(&words));
	str_release(&words);
}

/* -- Law 1 and 2 ------------------------------------------------------------------------------- */

static void write_and_read(struct court *court)
{
	struct evidence again = {0};
	struct complaint why = {0};
	struct str bytes = {0};

	bundle_pack(&court->evidence, &bytes);
	if (bundle_unpack(bytes.text, bytes.len, &again, &why) < 0)
		complain(court, 1, "unpack", complaint_text(&why));
	else
		judge_same(court, &again, 1, "written and read");
	str_release(&bytes);
	complaint_release(&why);
	evidence_release(&again);
}

/* A view of the evidence that shares its exhibits: free `at` only. */
static struct evidence view_of(const struct court *court)
{
	struct evidence view = court->evidence;

	view.at = calloc(view.n + 1, sizeof(*view.at));
	if (!view.at)
		abort();
	memcpy(view.at, court->evidence.at, view.n * sizeof(*view.at));
	return view;
}

static void shuffle(struct court *court)
{
	for (int round = 0; round < SHUFFLES; round++) {
		struct evidence view = view_of(court);
		char case_[32];

		for (size_t i = view.n; i > 1; i--) {
			size_t k = draw(court, i);
			struct exhibit held = view.at[i - 1];

			view.at[i - 1] = view.at[k];
			view.at[k] = held;
		}
		snprintf(case_, sizeof(case_), "shuffle %d", round);
		judge_same(court, &view, 2, case_);
		free(view.at);
	}
}

/* -- Law 3: leave out what is like exhibit i in one way ---------------------------------------- */

typedef bool like_fn(const struct exhibit *a, const struct exhibit *b);

static bool same_exhibit(const struct exhibit *a, const struct exhibit *b)
{
	return a == b;
}

static bool same_process(const struct exhibit *a, const struct exhibit *b)
{
	return a->pid && a->pid == b->pid && a->start_time == b->start_time;
}

static bool same_kind(const struct exhibit *a, const struct exhibit *b)
{
	return !strcmp(a->kind_name, b->kind_name);
}

static void leave_out(struct court *court, size_t which, like_fn *like, const char *way)
{
	const struct exhibit *out = &court->evidence.at[which];
	struct evidence view = view_of(court);
	char case_[128];

	view.n = 0;
	for (size_t i = 0; i < court->evidence.n; i++)
		if (!like(out, &court->evidence.at[i]))
			view.at[view.n++] = court->evidence.at[i];
	snprintf(case_, sizeof(case_), "without %s %zu: %s of rank %d pid %u %s", way, which,
		out->kind_name, out->rank, out->pid, out->label);
	judge_only(court, &view, 3, case_);
	free(view.at);
}

/* Is there no exhibit before it that is like it? */
static bool first_like(const struct court *court, size_t which, like_fn *like)
{
	for (size_t i = 0; i < which; i++)
		if (like(&court->evidence.at[which], &court->evidence.at[i]))
			return false;
	return like(&court->evidence.at[which], &court->evidence.at[which]);
}

static void leave_each_out(struct court *court)
{
	for (size_t i = 0; i < court->evidence.n; i++) {
		leave_out(court, i, same_exhibit, "exhibit");
		if (first_like(court, i, same_process))
			leave_out(court, i, same_process, "process");
		if (first_like(court, i, same_kind))
			leave_out(court, i, same_kind, "kind");
	}
}

/* -- Law 4 ------------------------------------------------------------------------------------- */

static void judge_bytes(struct court *court, const char *bytes, size_t size, const char *case_)
{
	struct evidence evidence = {0};
	struct complaint why = {0};

	if (bundle_unpack(bytes, size, &evidence, &why) >= 0)
		judge_only(court, &evidence, 4, case_);
	complaint_release(&why);
	evidence_release(&evidence);
}

static void damage_bundle(struct court *court)
{
	char case_[64];

	for (int i = 0; i < DAMAGES; i++) {
		size_t at = draw(court, court->bytes.len);
		unsigned char bit = (unsigned char)(1u << draw(court, 8));

		snprintf(case_, sizeof(case_), "cut at %zu", at);
		judge_bytes(court, court->bytes.text, at, case_);
		snprintf(case_, sizeof(case_), "bit %u flipped at %zu", bit, at);
		court->bytes.text[at] ^= (char)bit;
		judge_bytes(court, court->bytes.text, court->bytes.len, case_);
		court->bytes.text[at] ^= (char)bit;
	}
}

/*
 * The same behind the bundle's checksums, as a bundle's reader hands damage on: marked. A copy of
 * the bytes that is as long as what is left, so that a sanitizer sees a look beyond.
 */
static void damage_exhibit(struct court *court, size_t which, bool flip)
{
	struct evidence view = view_of(court);
	struct exhibit *it = &view.at[which];
	size_t at = draw(court, it->len);
	uint8_t *bytes;
	char case_[128];

	snprintf(case_, sizeof(case_), "exhibit %zu, %s of rank %d, %s at %zu of %zu", which,
		it->kind_name, it->rank, flip ? "flipped" : "cut", at, it->len);
	it->len = flip ? it->len : at;
	bytes = malloc(it->len + !it->len);
	if (!bytes)
		abort();
	memcpy(bytes, it->bytes, it->len);
	if (flip && it->len)
		bytes[at] ^= (uint8_t)(1u << draw(court, 8));
	it->bytes = bytes;
	it->damaged = true;
	judge_only(court, &view, 4, case_);
	free(bytes);
	free(view.at);
}

static void damage_exhibits(struct court *court)
{
	for (int i = 0; i < DAMAGES && court->evidence.n; i++) {
		damage_exhibit(court, draw(court, court->evidence.n), true);
		damage_exhibit(court, draw(court, court->evidence.n), false);
	}
}

/* What is there, and the bytes of a bundle of it. */
static int take_evidence(struct court *court, const char *path, struct complaint *why)
{
	int error;

	if (source_flight.claims(path)) {
		error = source_flight.gather(path, &court->evidence, why);
		bundle_pack(&court->evidence, &court->bytes);
		return error;
	}
	error = file_read(path, SIZE_MAX, &court->bytes, why);
	if (error < 0)
		return error;
	return bundle_unpack(court->bytes.text, court->bytes.len, &court->evidence, why);
}

int main(int argc, char **argv)
{
	struct court court = {.random = 1};
	struct complaint why = {0};

	if (argc < 2)
		return 2;
	court.allowed = calloc((size_t)argc, sizeof(int));
	for (int i = 2; court.allowed && i < argc; i++)
		court.allowed[court.nallowed++] = atoi(argv[i]);
	if (take_evidence(&court, argv[1], &why) < 0) {
		fprintf(stderr, "laws: %s\n", complaint_text(&why));
		return 2;
	}
	judge(&court, &court.evidence, 1, "as it is", &court.words);
	write_and_read(&court);
	shuffle(&court);
	leave_each_out(&court);
	damage_bundle(&court);
	damage_exhibits(&court);
	evidence_release(&court.evidence);
	str_release(&court.bytes);
	str_release(&court.words);
	complaint_release(&why);
	free(court.allowed);
	return court.broken ? 1 : 0;
}
