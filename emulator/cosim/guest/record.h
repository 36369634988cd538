/* What process 1 of the guest tells the emulator: a pipe of records, each a head and its bytes. And
   what it is told: a file of entries, each a letter, a value and a zero byte. */
#ifndef PLATTER_EMULATOR_COSIM_GUEST_RECORD_H
#define PLATTER_EMULATOR_COSIM_GUEST_RECORD_H

#include <stdint.h>

#define PLATTER_COSIM_JOB "PLATTER_COSIM_JOB" /* the variable that names that file */

enum platter_cosim_record_kind {
  PLATTER_COSIM_STDOUT = 1, /* what the command wrote there */
  PLATTER_COSIM_STDERR = 2,
  PLATTER_COSIM_ENDED = 3,     /* an int32_t: its status, as wait(2) has it */
  PLATTER_COSIM_NOT_BEGUN = 4, /* an int32_t: why it could not be executed, an errno */
  PLATTER_COSIM_NO_GUEST = 5   /* text: what the guest lacks to begin it at all */
};

struct platter_cosim_record {
  uint32_t kind, bytes;
};

enum platter_cosim_entry {
  PLATTER_COSIM_FOLDER = 'd', /* in which the command begins */
  PLATTER_COSIM_INPUT = 'i',  /* its standard input: a file of the host */
  PLATTER_COSIM_MERGED = 'm', /* standard output and error are one */
  PLATTER_COSIM_SHARE = 's',  /* a folder of the host that may be written */
  PLATTER_COSIM_VARIABLE = 'e',
  PLATTER_COSIM_ARGUMENT = 'a'
};

#endif
