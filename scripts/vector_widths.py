#!/usr/bin/env python3
"""Counts the arithmetic of the multilevel solver's hot loops by the width of its registers, in the machine code of a built
program: scripts/vector_widths.py [PROGRAM]. One line per function and instruction set it was compiled for. `scalar` are
single numbers; xmm, ymm and zmm hold 4, 8 and 16 floats (2, 4 and 8 doubles). Needs objdump and c++filt; not part of build
or tests."""
import collections
import re
import subprocess
import sys

LOOPS = {
    'assembly, triangles': 'SheetSystem::respond_triangles',
    'assembly, hinges': 'SheetSystem::respond_hinges',
    'assembly, pairs': 'SheetSystem::fill_pairs',
    'assembly, rows': 'SheetSystem::fill_rows',
    'coarse matrices': 'gather_slots|invert_rows',
    'smoother, matvec': '(multiply|start|finish|restrict|prolong|residual)_rows',
    'conjugate gradients': 'advance_rows',
}
ARITHMETIC = re.compile(r'\bv?(?:fn?m(?:add|sub)\d*|add|sub|mul|div|sqrt)([ps])([sd])\b')


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else 'build/release/bin/selvage'
    text = subprocess.run(['objdump', '-d', '--no-show-raw-insn', '-C', program], capture_output=True, text=True, check=True).stdout
    counts = collections.defaultdict(collections.Counter)
    name = None
    for line in text.splitlines():
        header = re.match(r'[0-9a-f]+ <(.*)>:$', line)
        if header:
            name = header.group(1)
            continue
        found = ARITHMETIC.search(line)
        if not found or not name:
            continue
        wide = re.findall(r'%([xyz])mm', line)
        width = 'scalar' if found.group(1) == 's' else max(wide, default='x') + 'mm'
        counts[name][width] += 1
        if 'fma' in line or 'fnma' in line or 'fms' in line or 'fnms' in line:
            counts[name]['fused'] += 1
    print('| loop | function | scalar | xmm | ymm | zmm | fused |\n|---|---|---|---|---|---|---|')
    for loop, pattern in LOOPS.items():
        for function, found in sorted(counts.items()):
            if not re.search(pattern, function) or sum(found.values()) < 4:
                continue
            clone = re.search(r'\[clone \.(\w+)\]', function)
            short = re.search(pattern, function).group(0) + (f' ({clone.group(1)})' if clone else '')
            print(f'| {loop} | `{short}` | ' + ' | '.join(str(found[w]) for w in ('scalar', 'xmm', 'ymm', 'zmm', 'fused')) + ' |')


main()
