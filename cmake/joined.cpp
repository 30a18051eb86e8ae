// Nothing: it tells CMake that the static library, made of one joined object, is C++.
