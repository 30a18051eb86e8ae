#!/usr/bin/env bash
# scripts/cuda_check without a GPU: with programs that stand in for cuda_measures and compute-sanitizer, it must notice
# everything that the real ones could say. Usage: cuda_check.sh SOURCES
set -eu
check=$1/scripts/cuda_check
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"
mkdir bin tools

cat >bin/cuda_measures <<'END'
#!/usr/bin/env bash
[ "$*" != "small --list" ] || { printf 'first\nsecond\n'; exit 0; }
echo "a device that is none"
[ "$1" != small ] || exit "${SMALL:-0}"
exit "${AGREEMENT:-0}"
END
# FAULT names a tool; it finds something in the case "second". It exits as the real one does.
cat >tools/compute-sanitizer <<'END'
#!/usr/bin/env bash
[ "$1 $3 $4" = "--tool --error-exitcode 99" ] || exit 1
[ "${MUTE:-}" != "$2" ] || exit 0
name=ERROR; [ "$2" != racecheck ] || name=RACECHECK
if [ "${FAULT:-}" = "$2" ] && [ "${7}" = second ]; then
    echo "========= Invalid __global__ read of size 4 bytes"
    echo "========= $name SUMMARY: 3 errors"
    exit 99
fi
echo "========= $name SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"
END
chmod +x bin/* tools/*
export PATH=$folder/tools:$PATH

expect() { # CODE TEXT COMMAND...
    local code=0 wanted=$1 text=$2
    shift 2
    /usr/bin/env "$@" >out 2>&1 || code=$?
    [ "$code" -eq "$wanted" ] || { echo "$*: exit code $code, expected $wanted"; cat out; exit 1; }
    case $(<out) in *"$text"*) ;; *) echo "$*: expected \"$text\""; cat out; exit 1 ;; esac
}

expect 0 "cuda_check: nothing found" "$check" bin
for tool in memcheck racecheck initcheck synccheck; do
    expect 1 "cuda_check-logs/$tool-second.log, first lines" FAULT=$tool "$check" bin
    expect 1 "3 found" FAULT=$tool "$check" bin
    expect 0 "nothing found" FAULT=$tool "$check" bin --only first
    expect 1 "failed (0)" MUTE=$tool "$check" bin # a tool that says nothing has not looked
done
expect 1 "agreement: FAILED (1)" AGREEMENT=1 "$check" bin
expect 2 "fails by itself" SMALL=1 "$check" bin
expect 2 "no case contains \"third\"; there are: first second" "$check" bin --only third
expect 2 "tools/cuda_measures: no such program" "$check" tools
expect 2 "found no folder" "$check"
expect 2 "unknown flag \"--nope\"" "$check" --nope
mkdir plain && ln -s "$(command -v bash)" plain/bash
expect 2 "no compute-sanitizer in PATH or /nowhere/bin" PATH="$folder/plain" CUDA_HOME=/nowhere "$check" bin
