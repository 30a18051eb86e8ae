#pragma once

/// How often the program has allocated so far. Only for test_allocation, which replaces operator new.
long allocation_count();
