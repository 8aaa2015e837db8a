/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libunwind (1.6.2, and later ones alike) would do with garbage; each check here is against
 * one of these:
 *
 *	a return address column, or a register that another was copied to, beyond its table: it
 *	reads whatever lies there
 *	no rule for the CFA: an assertion, or an expression at address 0
 *	DW_OP_div of the smallest number by -1: SIGFPE
 *	DW_OP_skip and DW_OP_bra backwards: a loop without end
 *	LEB128 numbers without end, blocks whose length wraps around: likewise
 *	opcodes that it does not know: taken for ones without operands, the rest read out of step
 *
 * So every program is read here once, from the same bytes, before libunwind reads it.
 */
#include "stack/cfi.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* registers that libunwind knows; the return address is the last of them */
#define CFI_REGS       17
#define CFI_REMEMBERED 64 /* depth of remember_state; a deeper one is refused */
#define CFI_EXPRESSION 256 /* bytes of an expression; a longer one is refused */

/*
 * Pointer encodings (DW_EH_PE_*): the low four bits are the format, the next three what it is
 * relative to.
 */
#define CFI_ENC_ABSOLUTE 0x00
#define CFI_ENC_UDATA2	 0x02
#define CFI_ENC_UDATA4	 0x03
#define CFI_ENC_UDATA8	 0x04
#define CFI_ENC_SDATA2	 0x0a
#define CFI_ENC_SDATA4	 0x0b
#define CFI_ENC_SDATA8	 0x0c
#define CFI_ENC_TABLE	 0x3b /* relative to the table, 4 bytes: can be searched */
#define CFI_ENC_RELATION 0x70
#define CFI_ENC_INDIRECT 0x80

/*
 * A reader of the bytes of one CIE or FDE, or of a block in it. `bad` is set once something was
 * wanted that lies beyond the end, and stays set.
 */
struct cfi_text {
	const uint8_t *bytes;
	size_t len, at;
	bool bad;
};

/* What is known of a CIE. */
struct cfi_cie {
	uint8_t encoding; /* of pointers in its FDEs */
	bool sized, signal; /* its FDEs have augmentation data; as in struct cfi_found */
};

/* What a program of call frame instructions has done so far. */
struct cfi_state {
	bool has_cfa; /* a rule for the CFA was given */
	unsigned remembered; /* states remembered and not yet restored */
};

/* Takes a number of `n` bytes, at most 8; 0 and text->bad beyond the end. */
static uint64_t cfi_bytes(struct cfi_text *text, size_t n)
{
	uint64_t value = 0;

	if (n > text->len - text->at) {
		text->bad = true;
		text->at = text->len;
		return 0;
	}
	memcpy(&value, text->bytes + text->at, n);
	text->at += n;
	return value;
}

/*
 * Takes an LEB128 number. libunwind shifts by 7 for each byte, so that at most ten bytes mean
 * anything; more are bad.
 */
static uint64_t cfi_leb(struct cfi_text *text)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint64_t byte = cfi_bytes(text, 1);

		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	text->bad = true;
	return 0;
}

/* Skips `n` bytes. */
static void cfi_skip(struct cfi_text *text, uint64_t n)
{
	if (n > text->len - text->at)
		text->bad = true;
	text->at = text->bad ? text->len : text->at + (size_t)n;
}

size_t cfi_pointer_size(uint8_t encoding)
{
	uint8_t relation = encoding & CFI_ENC_RELATION;

	if (relation != CFI_ENC_ABSOLUTE && relation != CFI_PCREL &&
		relation != (CFI_ENC_TABLE & CFI_ENC_RELATION))
		return 0;
	switch (encoding & 0x0f) {
	case CFI_ENC_ABSOLUTE:
	case CFI_ENC_UDATA8:
	case CFI_ENC_SDATA8:
		return 8;
	case CFI_ENC_UDATA4:
	case CFI_ENC_SDATA4:
		return 4;
	case CFI_ENC_UDATA2:
	case CFI_ENC_SDATA2:
		return 2;
	default:
		return 0;
	}
}

/* -- expressions ------------------------------------------------------------------------------- */

/* What opcodes of expressions have behind them: bytes, then LEB128 numbers. No others may pass. */
static const struct {
	uint8_t first, last, bytes, numbers;
} cfi_operands_of[] = {
	{0x03, 0x03, 8, 0}, /* addr */
	{0x06, 0x06, 0, 0}, /* deref */
	{0x08, 0x09, 1, 0}, /* const1u, const1s */
	{0x0a, 0x0b, 2, 0}, /* const2u, const2s */
	{0x0c, 0x0d, 4, 0}, /* const4u, const4s */
	{0x0e, 0x0f, 8, 0}, /* const8u, const8s */
	{0x10, 0x11, 0, 1}, /* constu, consts */
	{0x12, 0x14, 0, 0}, /* dup, drop, over */
	{0x15, 0x15, 1, 0}, /* pick */
	{0x16, 0x17, 0, 0}, /* swap, rot */
	{0x19, 0x1a, 0, 0}, /* abs, and; not div */
	{0x1c, 0x22, 0, 0}, /* minus ... plus */
	{0x23, 0x23, 0, 1}, /* plus_uconst */
	{0x24, 0x27, 0, 0}, /* shl ... xor; bra is none of these */
	{0x29, 0x2e, 0, 0}, /* eq ... ne; neither is skip */
	{0x30, 0x6f, 0, 0}, /* lit0-31, reg0-31 */
	{0x70, 0x90, 0, 1}, /* breg0-31, regx */
	{0x92, 0x92, 0, 2}, /* bregx */
	{0x94, 0x94, 1, 0}, /* deref_size */
	{0x96, 0x96, 0, 0}, /* nop */
};

static void cfi_take(struct cfi_text *text, unsigned bytes, unsigned numbers)
{
	cfi_skip(text, bytes);
	while (numbers--)
		cfi_leb(text);
}

/*
 * Skips the operands of a DWARF opcode. Returns false for an opcode that must not pass; skip and
 * bra are cfi_block()'s.
 */
static bool cfi_operands(struct cfi_text *text, unsigned op)
{
	for (size_t i = 0; i < sizeof(cfi_operands_of) / sizeof(cfi_operands_of[0]); i++) {
		if (op < cfi_operands_of[i].first || op > cfi_operands_of[i].last)
			continue;
		cfi_take(text, cfi_operands_of[i].bytes, cfi_operands_of[i].numbers);
		return true;
	}
	return false;
}

/*
 * Checks a block: a length, then an expression that ends where the block does. Jumps must lead
 * forwards, and to where an opcode begins: that is checked once all beginnings are known.
 */
static bool cfi_block(struct cfi_text *text)
{
	uint64_t len = cfi_leb(text);
	struct cfi_text block = {.bytes = text->bytes + text->at, .len = (size_t)len};
	bool jumps[CFI_EXPRESSION + 1] = {false}, starts[CFI_EXPRESSION + 1] = {false};

	if (text->bad || len > CFI_EXPRESSION || len > text->len - text->at)
		return false;
	while (block.at < block.len) {
		unsigned op;

		starts[block.at] = true;
		op = (unsigned)cfi_bytes(&block, 1);
		if (op == 0x28 || op == 0x2f) { /* bra, skip: forwards, to where an opcode is */
			uint64_t to = cfi_bytes(&block, 2) + block.at;

			if (block.bad || to > block.len)
				return false;
			jumps[to] = true;
		} else if (!cfi_operands(&block, op) || block.bad)
			return false;
	}
	starts[block.len] = true;
	for (size_t i = 0; i <= block.len; i++)
		if (jumps[i] && !starts[i])
			return false;
	cfi_skip(text, len);
	return true;
}

/* -- programs ---------------------------------------------------------------------------------- */

/* What an instruction is to the state, besides what it has behind it. */
enum {
	CFI_KNOWN = 1,
	CFI_STEPS = 2, /* away from the function's entry */
	CFI_SETS = 4,  /* the rule of the CFA */
	CFI_WANTS = 8, /* that there is one */
	CFI_BLOCK = 16 /* and an expression behind all else */
};

static const struct {
	uint8_t is, bytes, numbers;
} cfi_instructions[] = {
	[0x00] = {CFI_KNOWN, 0, 0},		/* nop */
	[0x02] = {CFI_KNOWN | CFI_STEPS, 1, 0}, /* advance_loc1 */
	[0x03] = {CFI_KNOWN | CFI_STEPS, 2, 0},
	[0x04] = {CFI_KNOWN | CFI_STEPS, 4, 0},
	[0x05] = {CFI_KNOWN, 0, 2},		/* offset_extended */
	[0x06] = {CFI_KNOWN, 0, 1},		/* restore_extended */
	[0x07] = {CFI_KNOWN, 0, 1},		/* undefined */
	[0x08] = {CFI_KNOWN, 0, 1},		/* same_value */
	[0x0c] = {CFI_KNOWN | CFI_SETS, 0, 2},	/* def_cfa */
	[0x0d] = {CFI_KNOWN | CFI_WANTS, 0, 1}, /* def_cfa_register */
	[0x0e] = {CFI_KNOWN | CFI_WANTS, 0, 1}, /* def_cfa_offset */
	[0x0f] = {CFI_KNOWN | CFI_SETS | CFI_BLOCK, 0, 0}, /* def_cfa_expression */
	[0x10] = {CFI_KNOWN | CFI_BLOCK, 0, 1}, /* expression */
	[0x11] = {CFI_KNOWN, 0, 2},		/* offset_extended_sf */
	[0x12] = {CFI_KNOWN | CFI_SETS, 0, 2},	/* def_cfa_sf */
	[0x13] = {CFI_KNOWN | CFI_WANTS, 0, 1}, /* def_cfa_offset_sf */
	[0x16] = {CFI_KNOWN | CFI_BLOCK, 0, 1}, /* val_expression */
	[0x2e] = {CFI_KNOWN, 0, 1},		/* GNU_args_size */
	[0x2f] = {CFI_KNOWN, 0, 2},		/* GNU_negative_offset_extended */
};

/* One of the table; false where it must not pass. */
static bool cfi_plain(
	struct cfi_text *text, struct cfi_state *state, unsigned op, bool *advanced)
{
	unsigned is = op < sizeof(cfi_instructions) / sizeof(cfi_instructions[0])
			      ? cfi_instructions[op].is
			      : 0;

	if (!is)
		return false;
	cfi_take(text, cfi_instructions[op].bytes, cfi_instructions[op].numbers);
	*advanced = *advanced || (is & CFI_STEPS);
	state->has_cfa = state->has_cfa || (is & CFI_SETS);
	return (!(is & CFI_WANTS) || state->has_cfa) && (!(is & CFI_BLOCK) || cfi_block(text));
}

/*
 * Checks one call frame instruction and skips its operands. Sets *advanced if the instruction moves
 * on to a later address. Opcodes 0x40, 0x80 and 0xc0 carry an operand in their low six bits.
 */
static bool cfi_instruction(
	struct cfi_text *text, struct cfi_state *state, const struct cfi_cie *cie, bool *advanced)
{
	unsigned op = (unsigned)cfi_bytes(text, 1);

	switch (op & 0xc0 ? op & 0xc0 : op) {
	case 0x40: /* advance_loc */
		*advanced = true;
		return true;
	case 0x80: /* offset */
		cfi_leb(text);
		return true;
	case 0xc0: /* restore */
		return true;
	case 0x01: /* set_loc */
		cfi_skip(text, cfi_pointer_size(cie->encoding));
		*advanced = true;
		return true;
	case 0x09: /* register */
		cfi_leb(text);
		return cfi_leb(text) < CFI_REGS;
	case 0x0a: /* remember_state */
		return state->has_cfa && state->remembered++ < CFI_REMEMBERED;
	case 0x0b: /* restore_state */
		return state->remembered && state->remembered--;
	default:
		return cfi_plain(text, state, op, advanced);
	}
}

/*
 * Checks the whole program of a CIE or an FDE. In an FDE the CFA must have its rule before the
 * first step away from the function's entry, since libunwind runs a program only up to the address
 * that it asks about.
 */
static bool cfi_program(
	struct cfi_text *text, struct cfi_state *state, const struct cfi_cie *cie, bool is_fde)
{
	state->remembered = 0;
	while (text->at < text->len) {
		bool advanced = false;

		if (!cfi_instruction(text, state, cie, &advanced) || text->bad)
			return false;
		if (is_fde && advanced && !state->has_cfa)
			return false;
	}
	return !is_fde || state->has_cfa;
}

/* -- CIE and FDE ------------------------------------------------------------------------------- */

/* What a letter of the augmentation has in its data. */
static bool cfi_letter(struct cfi_text *text, char letter, struct cfi_cie *cie)
{
	uint8_t encoding;

	switch (letter) {
	case 'L':
		cfi_skip(text, 1);
		return true;
	case 'R':
		cie->encoding = (uint8_t)cfi_bytes(text, 1);
		return true;
	case 'P':
		encoding = (uint8_t)cfi_bytes(text, 1);
		cfi_skip(text, cfi_pointer_size(encoding));
		return cfi_pointer_size(encoding);
	case 'S':
		cie->signal = true;
		return true;
	default:
		return false;
	}
}

/*
 * Reads the augmentation data of a CIE as libunwind does, which takes four letters and then stops.
 * Returns false for a letter that is not known, and for data that do not end where they say.
 */
static bool cfi_augmentation(struct cfi_text *text, const char *letters, struct cfi_cie *cie)
{
	uint64_t size = 0;
	size_t end;

	cie->encoding = CFI_ENC_UDATA8;
	if (!letters[0])
		return true;
	if (letters[0] != 'z')
		return false;
	cie->sized = true;
	size = cfi_leb(text);
	if (text->bad || size > text->len - text->at)
		return false;
	end = text->at + (size_t)size;
	for (const char *letter = letters + 1; *letter; letter++)
		if (!cfi_letter(text, *letter, cie))
			return false;
	return !text->bad && text->at == end && !(cie->encoding & CFI_ENC_INDIRECT) &&
	       cfi_pointer_size(cie->encoding);
}

/*
 * Reads a CIE up to its program: `text` then stands at the first instruction. Returns false unless
 * it is one of version 1 or 3 whose return address is in the usual column.
 */
static bool cfi_cie(struct cfi_text *text, struct cfi_cie *cie)
{
	char letters[5] = "";
	unsigned version;

	if (cfi_bytes(text, 4) != 0) /* the id of a CIE in .eh_frame */
		return false;
	version = (unsigned)cfi_bytes(text, 1);
	if (version != 1 && version != 3)
		return false;
	for (size_t i = 0;; i++) {
		char letter = (char)cfi_bytes(text, 1);

		if (!letter)
			break;
		if (i == sizeof(letters) - 1)
			return false;
		letters[i] = letter;
	}
	cfi_leb(text); /* code alignment */
	cfi_leb(text); /* data alignment */
	if ((version == 1 ? cfi_bytes(text, 1) : cfi_leb(text)) != CFI_REGS - 1)
		return false;
	return cfi_augmentation(text, letters, cie) && !text->bad;
}

/*
 * Reads the bytes of a CIE or FDE behind its length into `bytes`, which has room for CFI_CAP; sets
 * *len. Returns 0 or -errno; -ENOENT for the entry of length 0 that ends an .eh_frame.
 */
static int cfi_read(struct stack_memory *memory, uint64_t at, uint8_t *bytes, size_t *len)
{
	uint32_t size;
	int error = stack_memory_u32(memory, at, &size);

	if (error)
		return error;
	if (!size)
		return -ENOENT;
	if (size > CFI_CAP)
		return -EINVAL;
	*len = size;
	return stack_memory_read(memory, at + sizeof(size), bytes, size);
}

/*
 * Checks an FDE whose CIE is checked; `state` is what the CIE's program left. Overwrites `bytes`.
 */
static int cfi_check_fde(struct stack_memory *memory, uint64_t at, const struct cfi_cie *cie,
	struct cfi_state *state, uint8_t *bytes)
{
	struct cfi_text text = {.bytes = bytes};
	int error = cfi_read(memory, at, bytes, &text.len);

	if (error)
		return error;
	cfi_skip(&text, 4 + 2 * cfi_pointer_size(cie->encoding));
	if (cie->sized)
		cfi_skip(&text, cfi_leb(&text));
	if (text.bad || !cfi_program(&text, state, cie, true))
		return -EINVAL;
	return 0;
}

int cfi_check(struct stack_memory *memory, uint64_t fde, bool *ret_signal)
{
	uint8_t bytes[CFI_CAP];
	struct cfi_text text = {.bytes = bytes};
	struct cfi_state state = {0};
	struct cfi_cie cie = {0};
	uint32_t back;
	int error = stack_memory_u32(memory, fde + 4, &back);

	if (error)
		return error;
	if (!back)
		return -EINVAL;
	/*
	 * libunwind takes the distance for a signed number, and subtracts it from where it stands.
	 */
	error = cfi_read(memory, fde + 4 - (uint64_t)(int64_t)(int32_t)back, bytes, &text.len);
	if (error)
		return error;
	if (!cfi_cie(&text, &cie) || !cfi_program(&text, &state, &cie, false))
		return -EINVAL;
	*ret_signal = cie.signal;
	return cfi_check_fde(memory, fde, &cie, &state, bytes);
}

int cfi_encoding(struct stack_memory *memory, uint64_t cie, uint8_t *ret)
{
	uint8_t bytes[CFI_CAP];
	struct cfi_text text = {.bytes = bytes};
	struct cfi_cie known = {0};
	int error = cfi_read(memory, cie, bytes, &text.len);

	if (error)
		return error;
	if (!cfi_cie(&text, &known))
		return -EINVAL;
	*ret = known.encoding;
	return 0;
}

/* -- the search table -------------------------------------------------------------------------- */

/*
 * The search table behind an .eh_frame_hdr: `nr` entries of 8 bytes (two signed offsets from `hdr`:
 * to the code, and to its FDE), sorted by code.
 */
struct cfi_table {
	uint64_t hdr, entries, nr;
};

/*
 * Reads the head of an .eh_frame_hdr. Returns 0; -ENOENT if it has no table that can be searched;
 * -EINVAL or another -errno. The count is capped to what `size` has room for.
 */
static int cfi_table(
	struct stack_memory *memory, uint64_t hdr, uint64_t size, struct cfi_table *ret)
{
	uint8_t head[4];
	uint64_t count = 0, at = hdr + sizeof(head);
	size_t pointer, number;
	int error = stack_memory_read(memory, hdr, head, sizeof(head));

	if (error)
		return error;
	pointer = head[1] == CFI_NO_POINTER ? 0 : cfi_pointer_size(head[1]);
	number = cfi_pointer_size(head[2]);
	if (head[0] != 1 || !number || head[3] != CFI_ENC_TABLE)
		return -ENOENT;
	if (size < sizeof(head) + pointer + number)
		return -EINVAL;
	error = stack_memory_read(memory, at + pointer, &count, number);
	if (error)
		return error;
	ret->hdr = hdr;
	ret->entries = at + pointer + number;
	ret->nr = (size - sizeof(head) - pointer - number) / 8;
	if (count < ret->nr)
		ret->nr = count;
	return 0;
}

int cfi_find(struct stack_memory *memory, uint64_t hdr, uint64_t size, uint64_t address,
	struct cfi_found *ret)
{
	struct cfi_table table;
	uint64_t low = 0, high;
	int32_t entry[2];
	int error = cfi_table(memory, hdr, size, &table);

	if (error)
		return error;
	for (high = table.nr; low < high;) {
		uint64_t middle = low + (high - low) / 2;

		error = stack_memory_read(memory, table.entries + 8 * middle, entry, 8);
		if (error)
			return error;
		if (address < hdr + (uint64_t)(int64_t)entry[0])
			high = middle;
		else
			low = middle + 1;
	}
	if (!low)
		return -ENOENT;
	ret->entry = table.entries + 8 * (low - 1);
	error = stack_memory_read(memory, ret->entry, entry, 8);
	if (error)
		return error;
	return cfi_check(memory, hdr + (uint64_t)(int64_t)entry[1], &ret->signal);
}
