"""Compares a report with the page: compare.py PAGE PROGRAM REPORT.json. Prints what differs.

A program's row begins with its name, in which version numbers are left out here. `counts` stands for four
scenarios; the names of all others are in code font, outside of parentheses."""

import json
import re
import sys

page, program, report = sys.argv[1:]
COUNTS = ["Replay", "ReplayRespelled", "CountRepeated", "OldCounts"]


def scenarios(cell):
    cell = re.sub(r"\([^)]*\)", "", cell)
    cell = re.sub(r"\bcounts\b", ", ".join(f"`{name}`" for name in COUNTS), cell)
    return set(re.findall(r"`([A-Z]\w+)`", cell))


rows = {}
with open(page, encoding="utf-8") as lines:
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 3:
            rows[re.sub(r" [0-9][0-9.]*|`", "", cells[0])] = cells[1:]
if program not in rows:
    sys.exit(f"{program}: no row on the page")
with open(report, encoding="utf-8") as file:
    findings = json.load(file)["findings"]
differs = False
for verdict, cell in zip(("failed", "noted"), rows[program]):
    found = {it["scenario"] for it in findings if it["verdict"] == verdict}
    for what, names in (("not on the page", found - scenarios(cell)), ("only there", scenarios(cell) - found)):
        if names:
            differs = True
            print(f"{program}: {verdict}, {what}: {', '.join(sorted(names))}")
sys.exit(differs)
