#!/usr/bin/env python3
"""Counts the SPIR-V instructions of the fragment shaders of cloth and of plain solids, optimised, each loop counted once.

Needs glslangValidator and spirv-opt (Debian: glslang-tools, spirv-tools); neither build nor tests call it.
"""
import collections, pathlib, re, subprocess, tempfile

SHADERS = pathlib.Path(__file__).resolve().parent.parent / "shaders"
NOT_WORK = {"OpLabel", "OpFunctionEnd", "OpSelectionMerge", "OpLoopMerge", "OpVariable", "OpFunctionParameter", "OpFunction"}


def assemble(name, seen):
    lines = []
    for line in (SHADERS / name).read_text().splitlines():
        include = re.fullmatch(r'#include "(.*)"', line)
        if not include:
            lines.append(line)
        elif include[1] not in seen:
            seen.add(include[1])
            lines += assemble(include[1], seen)
    return lines


def count(name):
    with tempfile.TemporaryDirectory() as folder:
        source, binary = pathlib.Path(folder) / "shader.frag", pathlib.Path(folder) / "shader.spv"
        source.write_text("\n".join(["#version 330 core"] + assemble(name, set())))
        subprocess.run(["glslangValidator", "-G", "--auto-map-locations", "--auto-map-bindings", str(source), "-o", str(binary)],
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["spirv-opt", "-O", str(binary), "-o", str(binary)], check=True)
        text = subprocess.run(["spirv-dis", str(binary)], check=True, capture_output=True, text=True).stdout
    body = text[text.index("OpFunction "):]
    ops = collections.Counter(op for op in re.findall(r"^\s*(?:%\w+ = )?(Op\w+)", body, re.M) if op not in NOT_WORK)
    fetches = sum(n for op, n in ops.items() if op.startswith("OpImage") and ("Sample" in op or "Fetch" in op))
    return sum(ops.values()), fetches, ops["OpExtInst"]


print(f"{'shader':<20} {'instructions':>12} {'texture reads':>14} {'functions':>10}")
for name in ("solid.frag.glsl", "cloth.frag.glsl"):
    print(f"{name:<20} {count(name)[0]:>12} {count(name)[1]:>14} {count(name)[2]:>10}")
