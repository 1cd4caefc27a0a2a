/*
 * A fixed amount of work for the noise probe: steps of a random number generator (Marsaglia 2003, xorshift), each of
 * which needs the one before. It allocates nothing, and reads and writes no memory.
 *
 *   noise-loop STEPS
 */
#include <inttypes.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  uint64_t x = UINT64_C(88172645463325252);
  for (uint64_t left = strtoumax(argv[1], NULL, 10); left > 0; left--) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x == 0; /* never: but the compiler does not know, and must do the work */
}
