/* SPDX-License-Identifier: Apache-2.0 */
#include "preflight/nics.h"

#include <ctype.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "preflight/check.h"
#include "preflight/gpus.h"
#include "preflight/nvml.h"

#define NICS_MOST  64
#define SMALL_FILE 4096
#define FROM	   "/sys/class/infiniband"

/* A network card. */
struct nic {
	char name[64];
	char path[PATH_MAX]; /* of its PCI device */
};

/* The cards with a port that is up. */
struct nics {
	size_t nr;
	struct nic list[NICS_MOST];
};

int nics_shared_steps(const char *a, const char *b)
{
	static const char root[] = "/sys/devices/";
	int steps = 0;

	if (strncmp(a, root, strlen(root)) != 0 || strncmp(b, root, strlen(root)) != 0)
		return 0;
	for (a += strlen(root), b += strlen(root); *a && *b; steps++) {
		size_t len = strcspn(a, "/");

		if (strcspn(b, "/") != len || strncmp(a, b, len) != 0)
			break;
		a += len + (a[len] == '/');
		b += len + (b[len] == '/');
	}
	return steps;
}

/* True if a card has a port that is up; that it has none is said. */
static bool has_port_up(const char *folder, const char *name, struct check_sink *sink)
{
	struct str pattern = {0}, state = {0};
	bool up = false;
	glob_t ports;

	str_printf(&pattern, "%s/ports/*/state", folder);
	if (glob(pattern.text, 0, NULL, &ports) == 0)
		for (size_t i = 0; i < ports.gl_pathc; i++) {
			str_cut(&state, 0);
			if (file_read(ports.gl_pathv[i], SMALL_FILE, &state, NULL) < 0)
				continue;
			up = up || strstr(str_text(&state), "ACTIVE");
		}
	globfree(&ports);
	if (!up)
		check_say(sink, PREFLIGHT_WARN, FROM, "see `ibstat`",
			"%s has no port that is up: NCCL leaves it out", name);
	str_release(&pattern);
	str_release(&state);
	return up;
}

/* Finds the cards that NCCL may use. */
static void find_nics(struct nics *ret, struct check_sink *sink)
{
	glob_t found;

	ret->nr = 0;
	if (glob(FROM "/*", 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc && ret->nr < NICS_MOST; i++) {
			struct nic *nic = &ret->list[ret->nr];
			struct str device = {0};

			snprintf(nic->name, sizeof(nic->name), "%s",
				strrchr(found.gl_pathv[i], '/') + 1);
			str_printf(&device, "%s/device", found.gl_pathv[i]);
			if (realpath(device.text, nic->path) &&
				has_port_up(found.gl_pathv[i], nic->name, sink))
				ret->nr++;
			str_release(&device);
		}
	globfree(&found);
}

/*
 * Finds a GPU's real path in sysfs, which has PCI addresses in small letters, with a domain of four
 * digits. False where it is not shown.
 */
static bool path_of_gpu(const struct nvml_gpu *gpu, char path[static PATH_MAX])
{
	const char *bus = gpu->bus;
	struct str link = {0};
	bool found;

	if (strlen(bus) > 12)
		bus += strlen(bus) - 12;
	str_add(&link, "/sys/bus/pci/devices/");
	for (; *bus; bus++)
		str_add_char(&link, (char)tolower((unsigned char)*bus));
	found = gpu->bus[0] && realpath(link.text, path);
	str_release(&link);
	return found;
}

/*
 * Says the nearest card of each GPU; and of a GPU whose nearest is farther than others' that it is.
 */
static void judge_affinity(const struct preflight_wish *wish, const struct nvml_machine *machine,
	const struct nics *nics, struct check_sink *sink)
{
	struct gpus_of_job job;
	int best[NVML_GPUS_MOST] = {0}, most = 0;

	gpus_find(wish, machine, &job, NULL);
	for (unsigned k = 0; k < job.nr; k++) {
		const char *nearest = NULL;
		char path[PATH_MAX];

		if (!path_of_gpu(&machine->gpus[job.list[k]], path))
			return; /* a machine that shows no PCI tells no distance */
		for (size_t i = 0; i < nics->nr; i++) {
			int steps = nics_shared_steps(path, nics->list[i].path);

			if (!nearest || steps > best[k]) {
				best[k] = steps;
				nearest = nics->list[i].name;
			}
		}
		most = best[k] > most ? best[k] : most;
		check_say_detail(sink, FROM, "local rank %u: GPU %u, nearest card %s", k,
			job.list[k], nearest);
	}
	for (unsigned k = 0; k < job.nr; k++)
		if (best[k] == 0 && most > 0)
			check_say(sink, PREFLIGHT_WARN, FROM, "see `nvidia-smi topo -m`",
				"GPU %u has no card on its side of the machine: its traffic "
				"crosses "
				"the CPU",
				job.list[k]);
}

void check_nics(const struct preflight_wish *wish, const void *arg, struct check_sink *sink)
{
	struct nvml_machine machine;
	struct nics nics;

	(void)arg;
	find_nics(&nics, sink);
	if (nics.nr == 0) {
		check_say(sink, wish->hosts > 1 ? PREFLIGHT_WARN : PREFLIGHT_NONE, FROM, NULL,
			"no InfiniBand or RoCE card here%s",
			wish->hosts > 1 ? ": hosts reach each other by TCP" : "");
		return;
	}
	check_say(sink, PREFLIGHT_OK, FROM, NULL, "%zu InfiniBand or RoCE card%s up", nics.nr,
		nics.nr == 1 ? "" : "s");
	if (nvml_read(&machine, NULL) == 0)
		judge_affinity(wish, &machine, &nics, sink);
}
