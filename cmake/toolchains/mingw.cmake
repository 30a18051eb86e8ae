# 64-bit Windows: Debian's g++-mingw-w64-x86-64-posix, run by Wine. Everything in one file, so that no DLL is looked for.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_CROSSCOMPILING_EMULATOR wine64)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
