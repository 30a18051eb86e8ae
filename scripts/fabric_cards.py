#!/usr/bin/env python3
"""Rewrites the tables of docs/reference/fabrics.md from the cards that `selvage fabric NAME --quick --json FILE` writes (the drapes stand in
docs/records/validation.md). Run from the repository's root; the program's path may be given as the argument. Needs Python 3 only;
neither build nor tests call it."""
import json
import pathlib
import subprocess
import sys
import tempfile

PAGE = 'docs/reference/fabrics.md'
FIRST, LAST = '<!-- cards -->\n', '<!-- end of cards -->\n'  # what stands outside is written by hand


def card(program, name, folder):
    path = pathlib.Path(folder) / 'card.json'
    subprocess.run([program, 'fabric', name, '--quick', '--quiet', '--json', path], check=True)
    return json.loads(path.read_text())


def plain(value):
    return f'{value:.0f}' if value >= 100 else f'{value:.3g}'


def numbers(c):
    micro = [c[key] * 1e6 for key in ('bend_warp', 'bend_weft', 'bend_bias')]
    bias = f'{micro[2]:.3g}' if micro[2] > 0 else '-'
    return (f"| `{c['name']}` | {c['description'].rstrip('.')} | {c['density'] * 1e3:.3g} "
            f"| {c['thickness'] * 1e3:.2g} | {plain(c['stretch_warp'])} | {plain(c['stretch_weft'])} | {plain(c['shear'])} "
            f"| {micro[0]:.3g} | {micro[1]:.3g} | {bias} | {c['friction']:.2g} |")


def predictions(c):
    length = {key: value * 1e3 for key, value in c['predicted']['bending_length'].items()}
    strain = {key: value * 100 for key, value in c['predicted']['hanging_strain'].items()}
    return (f"| `{c['name']}` | {length['warp']:.1f} | {length['weft']:.1f} | {length['bias']:.1f} "
            f"| {strain['warp']:.2g} | {strain['weft']:.2g} |")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else 'build/release/bin/selvage'
    with tempfile.TemporaryDirectory() as folder:
        cards = [card(program, path.stem, folder) for path in sorted(pathlib.Path('fabrics').glob('*.json'))]
    lines = ['| fabric | what it is | g/m2 | mm | stretch warp N/m | weft N/m | shear N/m | bend warp uN m | weft uN m | bias uN m '
             '| friction |',
             '|---|---|---|---|---|---|---|---|---|---|---|']
    lines += [numbers(c) for c in cards]
    lines += ['',
              '| fabric | bending length warp mm | weft mm | bias mm | 1 m hung: warp % | weft % |',
              '|---|---|---|---|---|---|']
    lines += [predictions(c) for c in cards]
    page = pathlib.Path(PAGE)
    text = page.read_text()
    begin, end = text.index(FIRST) + len(FIRST), text.index(LAST)
    page.write_text(text[:begin] + '\n'.join(lines) + '\n' + text[end:])


main()
