/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CORE_NOTES_H
#define PROC_CORE_NOTES_H

/* Reads the notes of a core: threads, signal, mapped files, auxiliary vector. */

#include "proc/core/core-file.h"

/* Adds what stands in these notes. Stops where they make no sense, and sets notes_cut. */
void core_notes_read(struct core_file *core, Elf_Data *notes) __attribute__((nonnull));

#endif
