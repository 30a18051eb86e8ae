#!/usr/bin/env python3
"""Print the longest functions of the C++ code and the median length, and fail when one is over the limit.

    scripts/function_lengths.py [--limit 80] [--top 10] [--except FOLDER]... [FOLDER]...

Without folders it reads src, lab, apps and include. The length counts every line from the one with the function's name
to its closing brace. Lambdas count as part of the function they are written in. The code is expected to be formatted by
clang-format: a body is found by counting braces outside of comments, strings and preprocessor lines.
"""

import argparse
import pathlib
import re
import statistics
import sys

SUFFIXES = {".cpp", ".h", ".hpp", ".cu"}
# Comments, raw strings, strings, characters and digit separators: blanked out, with their line ends kept.
OPAQUE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"([^ ()\\\t\n]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
# What opens a brace at namespace or class level and is not a function.
SCOPE = re.compile(r"^(?:(?:inline )?namespace\b|extern\b|(?:template <.*> ?)?(?:class|struct|union|enum)\b)", re.DOTALL)
TEMPLATE = re.compile(r"^template <(?:[^<>]|<[^<>]*>)*>\s*(?:requires [^{]*?\s)?")
NAME = re.compile(r"((?:[A-Za-z_~][\w~]*(?:<[^()]*>)?::)*(?:operator\s*[^\s\w]{1,3}|operator\s*\(\)|~?[A-Za-z_]\w*))\s*\(")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def head_of(text, brace):
    """The declaration in front of a brace: what follows the last ; { or } before it."""
    begin = max(text.rfind(mark, 0, brace) for mark in ";{}") + 1
    head = text[begin:brace]
    head = re.sub(r"^(\s*(?:public|private|protected):)+", blank, head)
    begin += len(head) - len(head.lstrip())
    return begin, head.strip()


def closing_brace(text, brace):
    depth = 0
    for match in re.finditer(r"[{}]", text[brace:]):
        depth += 1 if match.group(0) == "{" else -1
        if depth == 0:
            return brace + match.start()
    return len(text) - 1


def functions_of(path):
    """(lines, name, file, first line) of every function body in a file."""
    text = OPAQUE.sub(blank, path.read_text(encoding="utf-8"))
    text = DIRECTIVE.sub(blank, text)
    at = 0
    while (brace := text.find("{", at)) >= 0:
        begin, head = head_of(text, brace)
        bare = TEMPLATE.sub("", head)
        bare = re.sub(r"^(?:\[\[.*?\]\]\s*)+", "", bare)
        if SCOPE.match(bare) and not (bare.rstrip().endswith(")") and "(" in bare) or bare.startswith("namespace"):
            at = brace + 1  # look inside
            continue
        name = NAME.search(bare)
        end = closing_brace(text, brace)
        if bare.count("(") > bare.count(")"):  # a default argument in braces: not the body yet
            text = text[:brace] + re.sub(r"[^\n]", " ", text[brace : end + 1]) + text[end + 1 :]
            continue
        # A constructor's member{...} initialisers come before its body.
        while name and re.match(r"\s*[,{]", text[end + 1 : end + 200]):
            brace = text.find("{", end + 1)
            if brace < 0:
                break
            end = closing_brace(text, brace)
        is_data = not name or re.search(r"[^=!<>]=\s*$", bare) or bare.endswith("return")
        if not is_data:
            first = text.count("\n", 0, begin) + 1
            yield text.count("\n", 0, end) + 2 - first, name.group(1), path, first
        at = end + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    parser.add_argument("--limit", type=int, default=80, help="longest function that passes (default: 80 lines)")
    parser.add_argument("--top", type=int, default=10, help="how many of the longest to print (default: 10)")
    parser.add_argument("--except", dest="left_out", action="append", default=[], metavar="FOLDER", help="leave out")
    options = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    folders = [root / name for name in options.folders or ("src", "lab", "apps", "include")]
    left_out = [root / name for name in options.left_out]
    files = sorted(
        path
        for folder in folders
        for path in ([folder] if folder.is_file() else folder.rglob("*"))
        if path.suffix in SUFFIXES and not any(path.is_relative_to(other) for other in left_out)
    )
    found = sorted((f for path in files for f in functions_of(path)), key=lambda f: (-f[0], str(f[2]), f[3]))
    if not found:
        sys.exit("no function found; expected folders with C++ code")
    over = [f for f in found if f[0] > options.limit]
    for lines, name, path, first in found[: max(options.top, len(over))]:
        print(f"{lines:5d}  {path.relative_to(root)}:{first}  {name}")
    median = statistics.median(f[0] for f in found)
    print(f"{len(found)} functions in {len(files)} files: longest {found[0][0]} lines, median {median:g}; ", end="")
    print(f"{len(over)} over {options.limit} lines")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
