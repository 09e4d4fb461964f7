#pragma once
#include <sys/select.h>
// Later releases have other calls too, but none that all have.
#define CARES_NO_DEPRECATED
#include <ares.h>
