/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes modules, with which stacks are walked. There is one table for each host, since a file is
 * known by its inode.
 */
#include "decode/context.h"
#include "decode/kinds.h"
#include "evidence/format/stacks.h"

static int module_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct decode_host *host = context_host(context, exhibit->host);
	struct excerpt *image = NULL;
	int status;

	(void)builder;
	if (!host->modules)
		host->modules = modules_new();
	status = stacks_read_module(exhibit, host->modules, &image, why);
	if (image)
		*array_add(&host->images) = image;
	return status;
}

const struct decoder decode_module = {EXHIBIT_MODULE, module_decode};
