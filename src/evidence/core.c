/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core file as evidence: the stacks of a process that died.
 *
 * WHO IT WAS. A core tells a pid and the environment, but neither host nor start time. Beside a
 * bundle it is of the process that has this pid there, if that is one only, or the one whose rank
 * its environment tells: then it takes over its host and start time. So bundles are to be gathered
 * first. Alone it is the rank that its environment says, or one of which no number is known.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "evidence/json-put.h"
#include "evidence/source.h"
#include "evidence/stacks.h"
#include "proc/claims.h"
#include "proc/core.h"

/* One core, and whose it is. */
struct core {
	struct snapshot snapshot;
	struct core_words words;
	struct claims claims;
	const char *host;
	int rank;   /* a hint, -1 none */
	bool known; /* by other evidence */
};

/* The first claim that tells a rank; NULL none does. */
static const struct rank_claim *core_claim(const struct core *core)
{
	for (size_t i = 0; i < core->claims.nr; i++)
		if (core->claims.all[i].rank >= 0 && !core->claims.all[i].of_node)
			return &core->claims.all[i];
	return NULL;
}

/* Whether an exhibit is of a process that this core may be of. */
static bool core_may_be(const struct core *core, const struct exhibit *exhibit)
{
	return exhibit->pid == core->snapshot.pid && exhibit->start_time &&
	       exhibit->kind != EXHIBIT_STACKS && exhibit->kind != EXHIBIT_MODULE;
}

static bool same_process(const struct exhibit *a, const struct exhibit *b)
{
	return a->start_time == b->start_time && strcmp(a->host, b->host) == 0;
}

/* Looks for the process among what was gathered before. */
static void core_recognise(struct core *core, const struct evidence *evidence)
{
	const struct rank_claim *claim = core_claim(core);
	const struct exhibit *found = NULL;
	bool several = false;

	for (size_t i = 0; i < evidence->n; i++) {
		const struct exhibit *exhibit = &evidence->at[i];

		if (!core_may_be(core, exhibit))
			continue;
		if (claim && exhibit->rank == claim->rank) {
			found = exhibit;
			several = false;
			break;
		}
		several |= found && !same_process(found, exhibit);
		found = exhibit;
	}
	if (!found || several)
		return;
	core->known = true;
	core->host = found->host;
	core->rank = found->rank;
	core->snapshot.start_time = found->start_time;
}

/* Whether there is evidence of a job beside cores. */
static bool core_is_alone(const struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->n; i++)
		if (evidence->at[i].kind == EXHIBIT_RING || evidence->at[i].kind == EXHIBIT_CENSUS)
			return false;
	return true;
}

/* Says which rank it was, where nothing else does. */
static void core_identify(struct core *core, struct evidence *into)
{
	const struct rank_claim *claim = core_claim(core);
	struct json_object *object;
	struct str text = {0};
	size_t len;

	if (core->known || (!claim && !core_is_alone(into)))
		return;
	core->rank = claim ? claim->rank : -1;
	object = json_object_new_object();
	json_put_text(object, "role", "rank");
	if (claim) {
		json_put_int(object, "rank", claim->rank);
		if (claim->local_rank >= 0)
			json_put_int(object, "local_rank", claim->local_rank);
		if (claim->world_size > 0)
			json_put_int(object, "world_size", claim->world_size);
		json_put_text(object, "source", claim->source);
		json_put_text(object, "confidence", claims_trust_name(claim->trust));
	}
	json_put_end(object, &text);
	len = text.len;
	evidence_add(into,
		&(const struct exhibit){.kind = EXHIBIT_IDENTITY, .rank = core->rank,
			.pid = core->snapshot.pid, .start_time = core->snapshot.start_time,
			.when = core->snapshot.when},
		(uint8_t *)str_detach(&text), len);
}

static int core_gather(const char *path, struct evidence *into, struct complaint *why)
{
	struct images *images = images_new();
	struct core core = {.host = "", .rank = -1};
	int error = core_take(path, images, &core.snapshot, &core.words, why);
	char *host;

	if (!error) {
		claims_read(&core.claims, str_text(&core.words.environment),
			core.words.environment.len, str_text(&core.words.arguments),
			core.words.arguments.len);
		core_recognise(&core, into);
		core_identify(&core, into);
		/* What is added may move what there is, and the host is a part of it. */
		host = alloc_text(core.host);
		stacks_add(into, host, core.rank, &core.snapshot);
		stacks_add_modules(into, host, images, &core.snapshot, 1);
		free(host);
	}
	snapshot_release(&core.snapshot);
	core_words_release(&core.words);
	images_free(images);
	return error;
}

static bool core_claims(const char *arg)
{
	return core_is(arg);
}

const struct source source_core = {
	.name = "core",
	.claims = core_claims,
	.gather = core_gather,
};
