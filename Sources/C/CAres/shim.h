#pragma once
// The system's types that both headers bring, such as timespec, are CEvent's, whichever a compiler's run meets first.
#include "../CEvent/shim.h"
#include <sys/select.h>
// Later releases have other calls too, but none that all have.
#define CARES_NO_DEPRECATED
#include <ares.h>
