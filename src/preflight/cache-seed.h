/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PREFLIGHT_CACHE_SEED_H
#define PREFLIGHT_CACHE_SEED_H

/* Whether a compile cache is filled for all ranks, or for some. */

/*
 * Returns how many devices have compiled into a cache of Inductor: the folders below its folder
 * "triton", which have the number of a device each (PyTorch 2.2 runtime/cache_dir_utils.py
 * triton_cache_dir). -1 where there are none: what was compiled for CPUs has no such folders.
 */
int cache_seed_devices(const char *inductor) __attribute__((nonnull));

#endif
