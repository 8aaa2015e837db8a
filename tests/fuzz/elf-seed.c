/* SPDX-License-Identifier: Apache-2.0 */
/* What elf-fuzz begins with: a small library that also has a core's notes. */
#define NOTE(type, size, content)                                                              \
	".long 5, " size ", " type "\n.asciz \"CORE\"\n.balign 4\n" content "\n.balign 4\n"

__asm__(".pushsection .note.core, \"a\", @note\n"
	NOTE("1", "336", ".fill 336")	     /* NT_PRSTATUS */
	NOTE("3", "136", ".fill 136")	     /* NT_PRPSINFO */
	NOTE("0x53494749", "128", ".fill 128") /* NT_SIGINFO */
	NOTE("6", "48", ".quad 33, 0x1000, 9, 0x1000, 0, 0") /* NT_AUXV */
	NOTE("0x46494c45", "45", ".quad 1, 4096, 0, 4096, 0\n.asciz \"/bin\"") /* NT_FILE */
	".popsection");

int sized(void);
int main(void);

int sized(void)
{
	return main();
}

int main(void)
{
	return sized();
}
