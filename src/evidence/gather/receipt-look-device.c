/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/file.h"
#include "evidence/gather/receipt-look.h"

#define DRIVER	 "/proc/driver/nvidia"
#define FILE_CAP (64 << 10)
#define GPUS	 64 /* the most that are listed */

/* Appends what stands behind "KEY:". */
static void add_value(struct str *into, const char *text, const char *key)
{
	const char *at = strstr(text, key);

	if (!at)
		return;
	at += strlen(key);
	at += strspn(at, ": \t");
	str_add_bytes(into, at, strcspn(at, "\n"));
}

static void look_at_gpu(struct look_gpus *ret, const char *folder)
{
	struct str path = {0}, text = {0};

	str_printf(&path, "%s/information", folder);
	if (file_read(path.text, FILE_CAP, &text, NULL) == 0) {
		add_value(&ret->models, str_text(&text), "Model");
		str_add_char(&ret->models, '\n');
	}
	str_release(&path);
	str_release(&text);
}

/* Reads the version out of "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.82.07  Wed ...". */
static void look_at_driver(struct look_gpus *ret)
{
	struct str text = {0};
	const char *at;

	if (file_read(DRIVER "/version", FILE_CAP, &text, NULL) == 0) {
		at = strstr(str_text(&text), "Module");
		at = at ? at + strcspn(at, "0123456789\n") : "";
		str_add_bytes(&ret->driver, at, strspn(at, "0123456789."));
	}
	str_release(&text);
}

void look_at_gpus(struct look_gpus *ret)
{
	struct file_names names = {0};

	if (file_list(DRIVER "/gpus", &names, NULL) == 0) {
		ret->known = true;
		for (size_t i = 0; i < names.list.nr && i < GPUS; i++)
			look_at_gpu(ret, names.list.items[i]);
	}
	file_names_release(&names);
	look_at_driver(ret);
}

/* Podman names it in this file: image="registry/name:tag". */
void look_at_image(struct str *into)
{
	struct str text = {0};
	const char *at;

	if (file_read("/run/.containerenv", FILE_CAP, &text, NULL) == 0) {
		at = strstr(str_text(&text), "image=\"");
		if (at)
			str_add_bytes(into, at + strlen("image=\""),
				strcspn(at + strlen("image=\""), "\"\n"));
	}
	str_release(&text);
}
