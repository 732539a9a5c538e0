// Decimal digits by integers of 128 bits: twenty times as fast as printf and strtod, which are asked where these do not
// decide.
//
// x = m 2^e, |m| < 2^53. With a power of ten that makes it a number of 17 digits before the point,
//   V = m 10^q 2^e,  10^16 <= V < 10^17,
// in fixed point with 64 bits behind it. 10^q is known to 128 bits, so V is wrong by less than two of its last units.
// A number D of d digits is V rounded to multiples of 10^(17-d); it reads back as x if it is nearer to V than half of
// what one unit of m is worth there. Where either comparison falls within the error, nobody knows, and printf is asked.
// (The idea is that of Grisu: F. Loitsch, Printing floating-point numbers quickly and accurately with integers, PLDI
// 2010; with 128 bits it fails once in 10^18, but for ties.)
#include "base/digits.h"

#include <math.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 wide;

enum { FIRST = -30, LAST = 55, MOST = 17, DOUBT = 8 }; // powers of ten; digits; units of V that are not believed

// The first 128 bits of 10^q, q = FIRST .. LAST; up to 55 there are no more.
static const struct bits {
  uint64_t high, low;
} powers[LAST - FIRST + 1] = {
    // clang-format off
    {0xa2425ff75e14fc31u, 0xa1258379a94d028du}, {0xcad2f7f5359a3b3eu, 0x096ee45813a04330u},
    {0xfd87b5f28300ca0du, 0x8bca9d6e188853fcu}, {0x9e74d1b791e07e48u, 0x775ea264cf55347du},
    {0xc612062576589ddau, 0x95364afe032a819du}, {0xf79687aed3eec551u, 0x3a83ddbd83f52204u},
    {0x9abe14cd44753b52u, 0xc4926a9672793542u}, {0xc16d9a0095928a27u, 0x75b7053c0f178293u},
    {0xf1c90080baf72cb1u, 0x5324c68b12dd6338u}, {0x971da05074da7beeu, 0xd3f6fc16ebca5e03u},
    {0xbce5086492111aeau, 0x88f4bb1ca6bcf584u}, {0xec1e4a7db69561a5u, 0x2b31e9e3d06c32e5u},
    {0x9392ee8e921d5d07u, 0x3aff322e62439fcfu}, {0xb877aa3236a4b449u, 0x09befeb9fad487c2u},
    {0xe69594bec44de15bu, 0x4c2ebe687989a9b3u}, {0x901d7cf73ab0acd9u, 0x0f9d37014bf60a10u},
    {0xb424dc35095cd80fu, 0x538484c19ef38c94u}, {0xe12e13424bb40e13u, 0x2865a5f206b06fb9u},
    {0x8cbccc096f5088cbu, 0xf93f87b7442e45d3u}, {0xafebff0bcb24aafeu, 0xf78f69a51539d748u},
    {0xdbe6fecebdedd5beu, 0xb573440e5a884d1bu}, {0x89705f4136b4a597u, 0x31680a88f8953030u},
    {0xabcc77118461cefcu, 0xfdc20d2b36ba7c3du}, {0xd6bf94d5e57a42bcu, 0x3d32907604691b4cu},
    {0x8637bd05af6c69b5u, 0xa63f9a49c2c1b10fu}, {0xa7c5ac471b478423u, 0x0fcf80dc33721d53u},
    {0xd1b71758e219652bu, 0xd3c36113404ea4a8u}, {0x83126e978d4fdf3bu, 0x645a1cac083126e9u},
    {0xa3d70a3d70a3d70au, 0x3d70a3d70a3d70a3u}, {0xccccccccccccccccu, 0xccccccccccccccccu},
    {0x8000000000000000u, 0x0000000000000000u}, {0xa000000000000000u, 0x0000000000000000u},
    {0xc800000000000000u, 0x0000000000000000u}, {0xfa00000000000000u, 0x0000000000000000u},
    {0x9c40000000000000u, 0x0000000000000000u}, {0xc350000000000000u, 0x0000000000000000u},
    {0xf424000000000000u, 0x0000000000000000u}, {0x9896800000000000u, 0x0000000000000000u},
    {0xbebc200000000000u, 0x0000000000000000u}, {0xee6b280000000000u, 0x0000000000000000u},
    {0x9502f90000000000u, 0x0000000000000000u}, {0xba43b74000000000u, 0x0000000000000000u},
    {0xe8d4a51000000000u, 0x0000000000000000u}, {0x9184e72a00000000u, 0x0000000000000000u},
    {0xb5e620f480000000u, 0x0000000000000000u}, {0xe35fa931a0000000u, 0x0000000000000000u},
    {0x8e1bc9bf04000000u, 0x0000000000000000u}, {0xb1a2bc2ec5000000u, 0x0000000000000000u},
    {0xde0b6b3a76400000u, 0x0000000000000000u}, {0x8ac7230489e80000u, 0x0000000000000000u},
    {0xad78ebc5ac620000u, 0x0000000000000000u}, {0xd8d726b7177a8000u, 0x0000000000000000u},
    {0x878678326eac9000u, 0x0000000000000000u}, {0xa968163f0a57b400u, 0x0000000000000000u},
    {0xd3c21bcecceda100u, 0x0000000000000000u}, {0x84595161401484a0u, 0x0000000000000000u},
    {0xa56fa5b99019a5c8u, 0x0000000000000000u}, {0xcecb8f27f4200f3au, 0x0000000000000000u},
    {0x813f3978f8940984u, 0x4000000000000000u}, {0xa18f07d736b90be5u, 0x5000000000000000u},
    {0xc9f2c9cd04674edeu, 0xa400000000000000u}, {0xfc6f7c4045812296u, 0x4d00000000000000u},
    {0x9dc5ada82b70b59du, 0xf020000000000000u}, {0xc5371912364ce305u, 0x6c28000000000000u},
    {0xf684df56c3e01bc6u, 0xc732000000000000u}, {0x9a130b963a6c115cu, 0x3c7f400000000000u},
    {0xc097ce7bc90715b3u, 0x4b9f100000000000u}, {0xf0bdc21abb48db20u, 0x1e86d40000000000u},
    {0x96769950b50d88f4u, 0x1314448000000000u}, {0xbc143fa4e250eb31u, 0x17d955a000000000u},
    {0xeb194f8e1ae525fdu, 0x5dcfab0800000000u}, {0x92efd1b8d0cf37beu, 0x5aa1cae500000000u},
    {0xb7abc627050305adu, 0xf14a3d9e40000000u}, {0xe596b7b0c643c719u, 0x6d9ccd05d0000000u},
    {0x8f7e32ce7bea5c6fu, 0xe4820023a2000000u}, {0xb35dbf821ae4f38bu, 0xdda2802c8a800000u},
    {0xe0352f62a19e306eu, 0xd50b2037ad200000u}, {0x8c213d9da502de45u, 0x4526f422cc340000u},
    {0xaf298d050e4395d6u, 0x9670b12b7f410000u}, {0xdaf3f04651d47b4cu, 0x3c0cdd765f114000u},
    {0x88d8762bf324cd0fu, 0xa5880a69fb6ac800u}, {0xab0e93b6efee0053u, 0x8eea0d047a457a00u},
    {0xd5d238a4abe98068u, 0x72a4904598d6d880u}, {0x85a36366eb71f041u, 0x47a6da2b7f864750u},
    {0xa70c3c40a64e6c51u, 0x999090b65f67d924u}, {0xd0cf4b50cfe20765u, 0xfff4b4e3f741cf6du},
    // clang-format on
};

typedef struct scaled {
  wide value; // V
  wide half;  // of a unit of m
  int power;  // the first digit stands for this power of ten
  bool edge;  // x is a power of two: the numbers below it lie closer, and half is that of those
} scaled;

static wide fixed(uint64_t whole) { return (wide)whole << 64; }

// V and half a unit, if x is 10^power and more, and less than ten times as much.
static bool scale_by(scaled *s, uint64_t m, int e, int power) {
  const int q = MOST - 1 - power;
  if (q < FIRST || q > LAST)
    return false;
  const struct bits *ten = &powers[q - FIRST];
  const int shift = -(e + q * 217706 / 65536 - (q * 217706 % 65536 < 0) - 127) - 64; // 10^q = bits 2^(..)
  const wide low = (wide)m * ten->low, high = (wide)m * ten->high + (low >> 64);
  if (shift < 1 || shift > 64)
    return false;
  s->value = shift == 64 ? high : (high << (64 - shift)) | ((uint64_t)low >> shift);
  s->half = (fixed(ten->high) | ten->low) >> (shift + 1);
  s->power = power;
  return true;
}

static bool scale(scaled *s, double x) {
  int e;
  const uint64_t m = (uint64_t)ldexp(frexp(x, &e), 53);
  const int power = (int)floor((e - 1) * 0.30102999566398120);
  if (!scale_by(s, m, e - 53, power))
    return false;
  if (s->value >= fixed(100000000000000000u) && !scale_by(s, m, e - 53, power + 1))
    return false;
  s->edge = m == (uint64_t)1 << 52;
  s->half /= s->edge ? 2 : 1;
  return s->value >= fixed(10000000000000000u) && s->value < fixed(100000000000000000u);
}

typedef enum answer { NO, YES, UNKNOWN } answer;

static answer smaller(wide a, wide b) { return a + DOUBT < b ? YES : b + DOUBT < a ? NO : UNKNOWN; }

static const uint64_t tens[MOST + 1] = {1,
                                        10,
                                        100,
                                        1000,
                                        10000,
                                        100000,
                                        1000000,
                                        10000000,
                                        100000000,
                                        1000000000,
                                        10000000000,
                                        100000000000,
                                        1000000000000,
                                        10000000000000,
                                        100000000000000,
                                        1000000000000000,
                                        10000000000000000,
                                        100000000000000000};

// V as a multiple of 10^(17 - digits). UNKNOWN: it lies between two, or has become a digit longer.
static answer round_to(uint64_t *number, const scaled *s, int digits) {
  const uint64_t unit = tens[MOST - digits], whole = (uint64_t)(s->value >> 64);
  const uint64_t below = whole / unit;
  const wide rest = s->value - fixed(below * unit);
  const answer down = smaller(rest, fixed(unit) / 2);
  *number = below + (down == NO);
  return down == UNKNOWN || *number == tens[digits] ? UNKNOWN : YES;
}

static answer reads_back(uint64_t number, const scaled *s, int digits) {
  const wide there = fixed(number * tens[MOST - digits]);
  const answer near = smaller(there > s->value ? there - s->value : s->value - there, s->half);
  return near == NO && s->edge ? UNKNOWN : near;
}

bool fly_digits_shortest(fly_digits *d, double x) {
  scaled s;
  if (!scale(&s, x))
    return false;
  answer found = NO;
  for (int digits = 15; found == NO; digits++) {
    *d = (fly_digits){.count = digits, .power = s.power};
    found = round_to(&d->number, &s, digits);
    if (found == YES && digits < MOST)
      found = reads_back(d->number, &s, digits);
  }
  return found == YES;
}

bool fly_digits_rounded(fly_digits *d, double x, int count) {
  scaled s;
  if (!scale(&s, x))
    return false;
  *d = (fly_digits){.count = count, .power = s.power};
  return round_to(&d->number, &s, count) == YES;
}
