#include "emulator/cosim/preload/chance.h"

#include <string.h>

static uint64_t state;

void chance_begin(uint64_t seed) { state = seed; }

// SplitMix64 (Steele, Lea and Flood 2014): every seed is a good one.
static uint64_t next(void) {
  uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

void chance_fill(void* bytes, size_t count) {
  char* to = bytes;
  while (count > 0) {
    const uint64_t word = next();
    const size_t part = count < sizeof word ? count : sizeof word;
    memcpy(to, &word, part);
    to += part;
    count -= part;
  }
}
