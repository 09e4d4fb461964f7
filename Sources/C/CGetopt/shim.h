#pragma once

#include <getopt.h>

// Swift doesn't let a global be used that another thread may change; these functions say the same of this one.

static inline int CGetopt_optind(void) { return optind; }

static inline int CGetopt_optopt(void) { return optopt; }

static inline const char *CGetopt_optarg(void) { return optarg; }

/// Makes the next getopt_long start anew, which is 0 for the GNU one, and say nothing itself.
static inline void CGetopt_begin(void) {
    optind = 0;
    opterr = 0;
}
