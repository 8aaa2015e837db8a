/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/circles/circle.h"

size_t circle_count_pairs(const struct inquiry *q, const struct circle *circle)
{
	size_t pairs = 0;

	for (size_t i = 0; i < circle->holders.nr; i++)
		pairs += q->graph->nodes[circle->holders.items[i].node].kind == WAITFOR_PAIR;
	return pairs;
}

bool circle_is_mixed(const struct inquiry *q, const struct circle *circle)
{
	size_t pairs = circle_count_pairs(q, circle);

	return pairs && pairs < circle->holders.nr;
}

bool circle_is_of_a_lock(const struct inquiry *q, const struct circle *circle)
{
	for (size_t i = 0; i < circle->holders.nr; i++)
		if (q->graph->nodes[circle->holders.items[i].node].kind == WAITFOR_LOCK)
			return true;
	return false;
}

bool circle_is_of_creations(const struct inquiry *q, const struct circle *circle)
{
	for (size_t i = 0; i < circle->holders.nr; i++)
		if (q->graph->nodes[circle->holders.items[i].node].kind != WAITFOR_INIT)
			return false;
	return circle->holders.nr > 0;
}
