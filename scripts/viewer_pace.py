#!/usr/bin/env python3
"""Measures what the viewer holds on this machine: simulated frames per second, the time from mouse to picture, and what
drawing costs. Opens the window on a display of its own (Xvfb), without panels, and drags the cloth about all the time.

usage: scripts/viewer_pace.py [SECONDS]"""

import json
import os
import subprocess
import sys
import tempfile
import time

SELVAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "release", "bin", "selvage")
CASES = [
    ("flag", ["flag"]),
    ("yard-drape, 40 x 40", ["yard-drape", "--set", "/cloths/0/mesh/grid/vertices=[40,40]"]),
    ("fuhrmann-sphere, dt 1/60, 2 substeps", ["fuhrmann-sphere", "--set", '/dt="1/60"', "--set", "/substeps=2"]),
    ("game", ["game"]),
]


def xdotool(*words):
    subprocess.run(["xdotool", *map(str, words)], check=True)


def cpu_seconds(pid):
    """Of all threads so far."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def read(path):
    try:
        with open(path) as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def measure(name, arguments, seconds, folder):
    path = os.path.join(folder, "status.json")
    if os.path.exists(path):
        os.remove(path)
    viewer = subprocess.Popen([SELVAGE, "view", *arguments, "--size", "800x500", "--style", "quick", "--status", path])
    while not (read(path) or {}).get("picture"):
        time.sleep(0.05)
        if viewer.poll() is not None:
            sys.exit(f"the viewer ended with {viewer.returncode}")
    xdotool("key", "Tab", "key", "w")
    start = read(path)
    xdotool("mousemove", int(start["middle"][0]), int(start["middle"][1]), "mousedown", 1)
    before, begin = cpu_seconds(viewer.pid), time.monotonic()
    frame, picture = start["frame"], start["picture"]
    step = 0
    while time.monotonic() - begin < seconds:
        xdotool("mousemove_relative", "--", 4 if step // 20 % 2 == 0 else -4, 0)
        time.sleep(0.03)
        step += 1
    end, passed = read(path), time.monotonic() - begin
    used = cpu_seconds(viewer.pid) - before
    xdotool("mouseup", 1, "key", "ctrl+q")
    viewer.wait()
    latency = end["latency_ms"]
    waited = f"{latency['median']:.0f} / {latency['p95']:.0f}" if latency else "no cloth there"
    print(f"| {name} | {end['particles']} | {(end['frame'] - frame) / passed:.0f} | {(end['picture'] - picture) / passed:.0f} | "
          f"{waited} | {end['picture_ms']['quick']:.1f} | "
          f"{end['picture_ms']['window']:.1f} | {used / passed:.2f} |", flush=True)


def main():
    if "SELVAGE_PACE_DISPLAY" not in os.environ:
        os.environ["SELVAGE_PACE_DISPLAY"] = "1"
        os.execvp("xvfb-run", ["xvfb-run", "-a", "-s", "-screen 0 1280x800x24", sys.executable, *sys.argv])
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    print("| scene | particles | simulated frames/s | pictures/s | mouse to picture, median / 95 % [ms] | a picture [ms] | the window [ms] "
          "| cores in use |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in CASES:
            measure(name, arguments, seconds, folder)


main()
