// Nothing but the headers that CMakeLists.txt precompiles for all tests.
