#!/bin/sh
# Builds a project that contains Selvage by add_subdirectory, as strangers do, and runs it. subdirectory.sh SOURCE
set -eu
source=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -G Ninja -S "$source/tests/consumer" -B "$work" -DSELVAGE_SOURCE="$source" -DCMAKE_BUILD_TYPE=Release
start=$(date +%s)
cmake --build "$work" -j "$(nproc)"
echo "the library and a program built in $(($(date +%s) - start)) s"
"$work/consumer"
