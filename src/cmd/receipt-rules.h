/* SPDX-License-Identifier: Apache-2.0 */
/* receipt-rules.h: what the environment of a run did to it, by the rules (envrules/envrules.h). */
#ifndef CMD_RECEIPT_RULES_H
#define CMD_RECEIPT_RULES_H

#include "base/str.h"
#include "job/receipt.h"

/*
 * Appends a line for each rule that speaks of the run; nothing where none does, or the environment
 * is not known. A rule about a variable that a receipt does not keep is not asked.
 */
void receipt_rules(struct str *into, const struct receipt *receipt, bool utf8);

#endif
