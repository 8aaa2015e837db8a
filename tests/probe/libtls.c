/* SPDX-License-Identifier: Apache-2.0 */
/* libtls.c: a library with a good part of the room that is left for thread-locals of libraries. */
__thread int tls_room[256] __attribute__((tls_model("initial-exec")));

__attribute__((visibility("default"))) int tls_count(void);
int tls_count(void)
{
	return tls_room[255]++ + (int)(sizeof(tls_room) / sizeof(*tls_room));
}
