#!/bin/sh
# Installs the library of a build to a folder of its own and uses it from there as a stranger would: headers, symbols,
# CMake, pkg-config, static and shared. installed_library.sh SOURCE BUILD
set -eu
source=$(readlink -f "$1")
build=$(readlink -f "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/moved
cc=${CC:-cc} cxx=${CXX:-c++}

fail() {
    echo "installed_library: $*" >&2
    exit 1
}

echo "== install, and move what was installed elsewhere"
for part in library development; do
    cmake --install "$build" --prefix "$work/prefix" --component $part >/dev/null
done
mv "$work/prefix" "$prefix"
library=$(find "$prefix" -name libselvage.so)
archive=$(find "$prefix" -name libselvage.a)
[ -n "$library" ] && [ -n "$archive" ] || fail "expected a shared and a static library in $prefix"

echo "== headers: the languages they promise, without a warning, and nothing but standard headers"
warnings="-Wall -Wextra -Wpedantic -Wshadow -Werror -I$prefix/include -fsyntax-only"
for standard in c99 c11; do
    echo '#include <selvage/selvage.h>' | $cc -std=$standard $warnings -Wstrict-prototypes -x c -
done
for standard in c++11 c++20; do
    echo '#include <selvage/selvage.h>' | $cxx -std=$standard $warnings -x c++ -
done
echo '#include <selvage/selvage.hpp>' | $cxx -std=c++20 $warnings -x c++ -
echo '#include <selvage/selvage.hpp>' | $cxx -std=c++20 -fno-exceptions -fno-rtti $warnings -x c++ -
leaks=$(grep -h '^ *# *include' "$prefix"/include/selvage/* |
    grep -v -E '<(std(def|int)\.h|[a-z_]+)>|"selvage/selvage\.h"' || true)
[ -z "$leaks" ] || fail "a public header includes more than the standard library: $leaks"

echo "== symbols: selvage_... and nothing else; no library but the standard ones"
declared=$($cc -E -P -std=c11 "$prefix/include/selvage/selvage.h" | tr '\n' ' ' |
    grep -o '__attribute__((visibility("default"))) [^;]*;' | grep -o 'selvage_[a-z0-9_]* *(' | tr -d ' (' | sort -u)
exported=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sort -u)
[ "$declared" = "$exported" ] || {
    printf '%s\n' "$declared" >"$work/declared"
    printf '%s\n' "$exported" >"$work/exported"
    diff "$work/declared" "$work/exported" >&2 || true
    fail "selvage.h declares (<) and the shared library exports (>) different functions"
}
kept=$(nm -g --defined-only "$archive" | awk 'NF == 3 { print $3 }' | sort -u)
[ "$kept" = "$declared" ] || fail "the static library shows other symbols than selvage.h declares:" \
    "$(printf '%s\n' "$kept" | grep -v '^selvage_' | head -3)"
needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
    grep -v -E '^(libstdc\+\+|libc\+\+|libc\+\+abi|libm|libgcc_s|libc|libpthread|ld-linux.*)\.so' || true)
[ -z "$needed" ] || fail "the shared library needs $needed"
readelf -d "$library" | grep -q 'SONAME.*libselvage\.so\.0\]' || fail "the shared library's name is not libselvage.so.0"

echo "== pkg-config"
export PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name selvage.pc)")
folder=$(dirname "$library")
$cc "$source/examples/hello_cloth.c" $(pkg-config --cflags --libs selvage) -o "$work/hello_shared"
LD_LIBRARY_PATH=$folder "$work/hello_shared"
mkdir "$work/static" && cp "$archive" "$work/static"
$cc "$source/examples/hello_cloth.c" $(pkg-config --cflags selvage) \
    $(pkg-config --static --libs selvage | sed "s:-L[^ ]*:-L$work/static:") -o "$work/hello_static"
"$work/hello_static"

for kind in shared static; do
    echo "== find_package, $kind: every example"
    cmake -G Ninja -S "$source/examples" -B "$work/examples_$kind" -DCMAKE_PREFIX_PATH="$prefix" \
        -DBUILD_SHARED_LIBS=$([ $kind = shared ] && echo ON || echo OFF) >/dev/null
    cmake --build "$work/examples_$kind" -j "$(nproc)" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "no build"; }
    ctest --test-dir "$work/examples_$kind" --verbose >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "an example failed"; }
    grep -E '^[0-9]+: [^TW]|tests passed' "$work/log"
    if readelf -d "$work/examples_$kind/hello_cloth_cpp" | grep -q 'NEEDED.*libselvage'; then linked=shared; else linked=static; fi
    [ $linked = $kind ] || fail "BUILD_SHARED_LIBS asked for the $kind library and got the $linked one"
done

echo "== a project in C alone, with the static library"
mkdir "$work/c_only"
cat >"$work/c_only/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(c_only LANGUAGES C)
find_package(selvage 0.2 REQUIRED COMPONENTS static)
add_executable(hello $source/examples/hello_cloth.c)
target_link_libraries(hello PRIVATE selvage::selvage)
END
cmake -G Ninja -S "$work/c_only" -B "$work/c_only/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/c_only/build" >/dev/null
"$work/c_only/build/hello"
