/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/standin/scalar.h"

#include <math.h>
#include <string.h>

static const struct {
	size_t bytes;
	char kind;	/* signed, unsigned, real, or small (real) */
	int exponent_bits, fraction_bits;
	bool saturates;
} types[ncclNumTypes] = {
	[ncclInt8] = { 1, 's', 0, 0, false }, [ncclUint8] = { 1, 'u', 0, 0, false },
	[ncclInt32] = { 4, 's', 0, 0, false }, [ncclUint32] = { 4, 'u', 0, 0, false },
	[ncclInt64] = { 8, 's', 0, 0, false }, [ncclUint64] = { 8, 'u', 0, 0, false },
	[ncclFloat32] = { 4, 'r', 0, 0, false }, [ncclFloat64] = { 8, 'r', 0, 0, false },
	[ncclFloat16] = { 2, 'm', 5, 10, false }, [ncclBfloat16] = { 2, 'm', 8, 7, false },
	[ncclFloat8e4m3] = { 1, 'm', 4, 3, true }, [ncclFloat8e5m2] = { 1, 'm', 5, 2, true },
};

size_t scalar_bytes(ncclDataType_t type)
{
	return types[type].bytes;
}

bool scalar_is_real(ncclDataType_t type)
{
	return types[type].kind == 'r' || types[type].kind == 'm';
}

/* -- Small floats by definition --------------------------------------------------------------- */

static unsigned int sign_bit(ncclDataType_t type)
{
	return 1u << (types[type].exponent_bits + types[type].fraction_bits);
}

/* The largest finite code: e4m3 has no infinity and one NaN, the others are as IEEE says. */
static unsigned int largest_code(ncclDataType_t type)
{
	unsigned int ones = ((1u << types[type].exponent_bits) - 1) << types[type].fraction_bits;

	return type == ncclFloat8e4m3 ? 0x7e : ones - 1;
}

static double decode(ncclDataType_t type, unsigned int code)
{
	int fraction_bits = types[type].fraction_bits;
	unsigned int magnitude = code & (sign_bit(type) - 1);
	int exponent = (int)(magnitude >> fraction_bits);
	double fraction = ldexp(magnitude & ((1u << fraction_bits) - 1), -fraction_bits);
	int bias = (1 << (types[type].exponent_bits - 1)) - 1;
	double sign = code & sign_bit(type) ? -1 : 1;

	if (magnitude > largest_code(type))
		return type != ncclFloat8e4m3 && fraction == 0 ? sign * INFINITY : NAN;
	if (!exponent)
		return sign * ldexp(fraction, 1 - bias);
	return sign * ldexp(1 + fraction, exponent - bias);
}

static unsigned int encode(ncclDataType_t type, double value)
{
	unsigned int sign = signbit(value) ? sign_bit(type) : 0, low = 0;
	unsigned int high = largest_code(type), largest = high;
	double size = fabs(value), top = decode(type, largest);
	double beyond = top + (top - decode(type, largest - 1));

	if (isnan(value))
		return largest + (type == ncclFloat8e4m3 ? 1 : 2);
	if (size >= top)
		return sign | (types[type].saturates || size < (top + beyond) / 2 ? largest
										 : largest + 1);
	while (high - low > 1) {
		unsigned int middle = (low + high) / 2;

		if (decode(type, middle) <= size)
			low = middle;
		else
			high = middle;
	}
	if (size - decode(type, low) == decode(type, high) - size)
		return sign | (low & 1 ? high : low);
	return sign | (size - decode(type, low) < decode(type, high) - size ? low : high);
}

/* -- Elements as numbers ---------------------------------------------------------------------- */

static double load_real(ncclDataType_t type, const void *at)
{
	unsigned int code = 0;
	float narrow;
	double wide;

	if (type == ncclFloat64) {
		memcpy(&wide, at, 8);
		return wide;
	}
	if (type == ncclFloat32) {
		memcpy(&narrow, at, 4);
		return narrow;
	}
	memcpy(&code, at, types[type].bytes);
	return decode(type, code);
}

static void store_real(ncclDataType_t type, void *at, double value)
{
	float narrow = (float)value;
	unsigned int code;

	if (type == ncclFloat64) {
		memcpy(at, &value, 8);
	} else if (type == ncclFloat32) {
		memcpy(at, &narrow, 4);
	} else {
		code = encode(type, value);
		memcpy(at, &code, types[type].bytes);
	}
}

/* Sign-extended to 64 bits if the type has a sign. */
static uint64_t load_integer(ncclDataType_t type, const void *at)
{
	uint64_t value = 0;
	int shift = 64 - 8 * (int)types[type].bytes;

	memcpy(&value, at, types[type].bytes);
	if (types[type].kind == 's')
		value = (uint64_t)((int64_t)(value << shift) >> shift);
	return value;
}

static uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

void scalar_make(ncclDataType_t type, uint64_t seed, void *ret)
{
	uint64_t bits = mix(seed);
	unsigned int code;

	if (types[type].kind == 'r') {
		store_real(type, ret, ldexp((double)(int64_t)bits / 9e18, (int)(bits % 21) - 8));
	} else if (types[type].kind == 'm') {
		do {
			code = (unsigned int)bits & (2 * sign_bit(type) - 1);
			bits = mix(bits);
		} while (!isfinite(decode(type, code)));
		memcpy(ret, &code, types[type].bytes);
	} else {
		memcpy(ret, &bits, types[type].bytes);
	}
}

static bool less(ncclDataType_t type, uint64_t a, uint64_t b)
{
	return types[type].kind == 's' ? (int64_t)a < (int64_t)b : a < b;
}

static void fold_integer(ncclDataType_t type, ncclRedOp_t op, void *a, const void *b)
{
	uint64_t x = load_integer(type, a), y = load_integer(type, b);
	uint64_t results[] = { [ncclSum] = x + y, [ncclProd] = x * y,
			       [ncclMax] = less(type, x, y) ? y : x,
			       [ncclMin] = less(type, x, y) ? x : y };

	memcpy(a, &results[op], types[type].bytes);
}

void scalar_fold(ncclDataType_t type, ncclRedOp_t op, void *a, const void *b)
{
	double x, y;

	if (!scalar_is_real(type)) {
		fold_integer(type, op, a, b);
		return;
	}
	x = load_real(type, a);
	y = load_real(type, b);
	if (op == ncclSum)
		store_real(type, a, x + y);
	else if (op == ncclProd)
		store_real(type, a, x * y);
	else
		store_real(type, a, op == ncclMax ? fmax(x, y) : fmin(x, y));
}

void scalar_before_average(ncclDataType_t type, int ranks, void *element)
{
	char inverse[8];

	if (!scalar_is_real(type))
		return;
	store_real(type, inverse, type == ncclFloat64 ? 1.0 / ranks : (float)(1.0 / ranks));
	scalar_fold(type, ncclProd, element, inverse);
}

void scalar_after_average(ncclDataType_t type, int ranks, void *element)
{
	uint64_t value;

	if (scalar_is_real(type))
		return;
	value = load_integer(type, element);
	if (types[type].kind == 's')
		value = (uint64_t)((int64_t)value / ranks);
	else
		value /= (uint64_t)ranks;
	memcpy(element, &value, types[type].bytes);
}

bool scalar_equal(ncclDataType_t type, const void *a, const void *b)
{
	double x, y;

	if (!scalar_is_real(type))
		return !memcmp(a, b, types[type].bytes);
	x = load_real(type, a);
	y = load_real(type, b);
	return x == y || (isnan(x) && isnan(y));
}
