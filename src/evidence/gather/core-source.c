/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core file as evidence: the stacks of a process that died.
 *
 * WHO IT WAS. A core tells a pid and the environment, but neither host nor start time. Beside a
 * bundle it is taken for the process that has this pid there, if there is just one, or for the one
 * whose rank its environment tells: then it takes over that one's host and start time. So bundles
 * must be gathered first. Alone it is the rank that its environment says, or one of which no number
 * is known.
 *
 * A folder may hold cores of other jobs. So a core that was found there, and not named, must be of
 * a process that the bundles know, if there are any.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/meter.h"
#include "base/redact.h"
#include "evidence/format/json-put.h"
#include "evidence/format/stacks.h"
#include "evidence/gather/source.h"
#include "evidence/gather/stacks-module.h"
#include "proc/core/core.h"
#include "proc/survey/claims.h"
#include "proc/survey/launcher.h"

/* One core, and whose it is. */
struct core {
	struct snapshot snapshot;
	struct core_words words; /* its command line and environment */
	struct claims claims; /* what these tell of its rank */
	const char *host; /* "" not known */
	int rank;   /* a hint; -1 not known */
	bool known; /* true if other evidence knows the process */
};

/* True if it launched ranks, and is itself none. */
static bool core_is_launcher(const struct core *core)
{
	return launcher_of("", str_text(&core->words.arguments), core->words.arguments.len) != NULL;
}

/*
 * Returns the first claim that tells a rank; NULL if none does. RANK alone may be that of a node,
 * as its launcher was told it; it counts for any other process, of which nobody will ever say more
 * than this.
 */
static const struct rank_claim *core_claim(const struct core *core)
{
	const struct rank_claim *of_node = NULL;

	for (size_t i = 0; i < core->claims.nr; i++) {
		const struct rank_claim *claim = &core->claims.all[i];

		if (claim->rank >= 0 && !claim->of_node)
			return claim;
		if (claim->rank >= 0 && !of_node)
			of_node = claim;
	}
	return of_node && !core_is_launcher(core) ? of_node : NULL;
}

/* True if an exhibit is of a process that the core may be of. */
static bool core_may_be(const struct core *core, const struct exhibit *exhibit)
{
	return exhibit->pid == core->snapshot.pid && exhibit->start_time &&
	       exhibit->kind != EXHIBIT_STACKS && exhibit->kind != EXHIBIT_MODULE;
}

static bool same_process(const struct exhibit *a, const struct exhibit *b)
{
	return a->start_time == b->start_time && strcmp(a->host, b->host) == 0;
}

/* Looks for the core's process among what was gathered before. */
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

/* True if the evidence has nothing of a job but cores. */
static bool core_is_alone(const struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->n; i++) {
		enum exhibit_kind kind = evidence->at[i].kind;

		if (kind == EXHIBIT_RING || kind == EXHIBIT_CENSUS || kind == EXHIBIT_GATHER)
			return false;
	}
	return true;
}

/* Names the job. If there are only cores, it is called by the program that ran. */
static void core_put_job(const struct core *core, struct json_object *object)
{
	char *arguments = alloc_copy(
		str_text(&core->words.arguments), core->words.arguments.len);
	const char *slash = strrchr(arguments, '/'); /* of the first argument, which names the
						      * program */
	const char *end = arguments + core->words.arguments.len;
	struct str name = {0};

	redact_args(arguments, core->words.arguments.len);
	for (const char *at = slash ? slash + 1 : arguments; at < end && *at; at += strlen(at) + 1)
		str_printf(&name, "%s%s", name.len ? " " : "", at);
	json_put_text(object, "job", "cores");
	json_put_text(object, "name", str_text(&name));
	str_release(&name);
	free(arguments);
}

/* Adds which rank it was, if nothing else does. */
static void core_identify(struct core *core, struct evidence *into)
{
	const struct rank_claim *claim = core_claim(core);
	struct json_object *object;
	bool alone = core_is_alone(into);
	struct str text = {0};
	size_t len;

	if (core->known || (!claim && !alone))
		return;
	core->rank = claim ? claim->rank : -1;
	object = json_object_new_object();
	json_put_text(object, "role", "rank");
	if (alone)
		core_put_job(core, object);
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

/*
 * True if the core may be added. If it was only found, and is of a process that the bundles do not
 * know, it may be of another job: that is a gap.
 */
static bool core_belongs(
	const struct core *core, const char *path, bool found, struct evidence *into)
{
	struct str what = {0};

	if (!found || core->known || core_is_alone(into))
		return true;
	str_printf(&what,
		"%s: a core of pid %" PRIu32 ", which no bundle here knows; name the file to have "
		"it judged with them",
		path, core->snapshot.pid);
	evidence_add_gap(into, "", 0, str_text(&what));
	str_release(&what);
	return false;
}

/*
 * Looks up the names of all addresses on the snapshots' stacks, and adds an exhibit per module
 * there. Call it once, after all snapshots of a gathering.
 */
static void add_modules(struct evidence *into, const char *host, struct images *images,
	const struct snapshot *snapshots, size_t nr)
{
	struct stacks_wanteds wanteds;
	struct stacks_wanted *wanted;

	stacks_want(&wanteds, images, snapshots, nr);
	array_for_each(&wanteds.all, wanted) {
		stacks_name(images, wanted, &wanteds.arena);
		stacks_add_module(
			into, host, wanted->module, images_excerpt(images, wanted->module));
	}
	stacks_wanted_release(&wanteds);
}

static void core_add(struct core *core, struct images *images, struct evidence *into)
{
	/* Adding may move the exhibits that are there, and the host's name lies in one of them. */
	char *host = alloc_text(core->host);
	struct evidence modules = {0};

	core_identify(core, into);
	stacks_add(into, host, core->rank, &core->snapshot);
	add_modules(&modules, host, images, &core->snapshot, 1);
	/* Other cores may have brought some of these modules already. */
	for (size_t i = 0; i < modules.n; i++)
		stacks_put(into, host, &modules.at[i]);
	evidence_release(&modules);
	free(host);
}

/*
 * True if the meter admits what a core may cost: what is kept of its memory and its notes, at most
 * all of it.
 */
static bool core_is_affordable(const char *path, struct evidence *into)
{
	uint64_t most = 2 * (uint64_t)EXCERPT_CAP;
	struct stat st;

	if (stat(path, &st) == 0 && (uint64_t)st.st_size < most)
		most = (uint64_t)st.st_size;
	return meter_admits(into->meter, most, METER_READING);
}

/* Adds one core. `found` is true if it was found in a folder, and not named. */
static int core_gather_file(
	const char *path, bool found, struct evidence *into, struct complaint *why)
{
	struct images *images = images_new();
	struct core core = {.host = "", .rank = -1};
	int error;

	if (!core_is_affordable(path, into))
		error = complaint_set(why, "%s: %s", path, METER_REFUSED);
	else
		error = core_take(path, images, &core.snapshot, &core.words, why);
	if (!error) {
		claims_read(&core.claims, str_text(&core.words.environment),
			core.words.environment.len, str_text(&core.words.arguments),
			core.words.arguments.len);
		core_recognise(&core, into);
		if (core_belongs(&core, path, found, into))
			core_add(&core, images, into);
	}
	snapshot_release(&core.snapshot);
	core_words_release(&core.words);
	images_free(images);
	return error;
}

static bool core_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * Adds the cores of a folder; each that cannot be read is a gap. Negative with words if none was
 * read.
 */
static int core_gather_folder(const char *path, struct evidence *into, struct complaint *why)
{
	struct file_names names = {0};
	int error = file_list(path, &names, why);
	size_t tried = 0, read = 0;

	for (size_t i = 0; i < names.files; i++) {
		struct complaint ours = {0};

		if (!core_is(names.list.items[i]))
			continue;
		if (core_gather_file(names.list.items[i], true, into, &ours) == 0)
			read++;
		else
			evidence_add_gap(into, "", 0, complaint_text(&ours));
		tried++;
		complaint_set(why, "%s", complaint_text(&ours));
		complaint_release(&ours);
	}
	if (!error && !tried)
		complaint_set(why, "no core file in %s", path);
	file_names_release(&names);
	return read ? 0 : -1;
}

static int core_gather(const char *path, struct evidence *into, struct complaint *why)
{
	return core_is_folder(path) ? core_gather_folder(path, into, why)
				    : core_gather_file(path, false, into, why);
}

static bool core_claims(const char *arg)
{
	struct file_names names = {0};
	bool is = false;

	if (!core_is_folder(arg))
		return core_is(arg);
	file_list(arg, &names, NULL);
	for (size_t i = 0; i < names.files && !is; i++)
		is = core_is(names.list.items[i]);
	file_names_release(&names);
	return is;
}

const struct source source_core = {
	.name = "core",
	.claims = core_claims,
	.gather = core_gather,
};
