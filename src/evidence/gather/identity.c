/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/identity.h"

#include "evidence/format/json-put.h"

static void put_known(struct json_object *object, const char *key, int value)
{
	if (value != CLAIM_UNKNOWN)
		json_put_int(object, key, value);
}

void identity_put_rank(struct json_object *object, const struct survey_process *found)
{
	const struct rank_claim *rank = &found->rank;

	put_known(object, "rank", rank->rank);
	put_known(object, "local_rank", rank->local_rank);
	put_known(object, "world_size", rank->world_size);
	put_known(object, "restart", rank->restart);
	json_put_text(object, "launcher", rank->launcher);
	if (*found->claims.run)
		json_put_text(object, "run", found->claims.run);
	if (*found->claims.master)
		json_put_text(object, "master", found->claims.master);
	if (*found->claims.slurm)
		json_put_text(object, "slurm",
			*found->claims.step ? found->claims.step : found->claims.slurm);
	json_put_text(object, "source", rank->source);
	json_put_text(object, "confidence", claims_trust_name(rank->trust));
}
