#pragma once
#include <pacparser.h>
