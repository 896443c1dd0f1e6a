#!/usr/bin/env python3
"""Checks the licences of all packages that a lock file names, and the Rust version that they need.

licences.py FOLDER...

Each folder has a Cargo.toml. A package passes if one of the alternatives of its licence is made of
licences below only. Packages of the first folder that end up in a program (no development, no build
dependencies) must also build with its rust-version.
"""

import json
import re
import subprocess
import sys

# Permissive: the notice is kept, and that is all.
ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "NCSA",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
}


def allows(expression):
    """Evaluates an SPDX expression: AND binds before OR; a slash is an old way to write OR."""
    tokens = re.findall(r"[()]|\bAND\b|\bOR\b|[^\s()]+", expression.replace("/", " OR "))

    def alternatives():
        result = parts()
        while tokens and tokens[0] == "OR":
            tokens.pop(0)
            result = parts() or result
        return result

    def parts():
        result = one()
        while tokens and tokens[0] == "AND":
            tokens.pop(0)
            result = one() and result
        return result

    def one():
        token = tokens.pop(0)
        if token == "(":
            result = alternatives()
            tokens.pop(0)
            return result
        if tokens and tokens[0] == "WITH":
            token += " WITH " + tokens.pop(1)
            tokens.pop(0)
        return token in ALLOWED

    return alternatives()


def metadata(folder):
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--all-features"]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def linked(data):
    """The packages that the members of a workspace link."""
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    found, todo = set(), list(data["workspace_members"])
    while todo:
        package = todo.pop()
        if package in found:
            continue
        found.add(package)
        for dependency in nodes[package]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                todo.append(dependency["pkg"])
    return found


def version(text):
    numbers = [int(number) for number in text.split(".")]
    return numbers + [0] * (3 - len(numbers))


def main():
    assert allows("MIT OR GPL-3.0") and not allows("MIT AND GPL-3.0") and not allows("GPL-3.0")
    assert allows("(MIT OR GPL-3.0) AND ISC") and not allows("(MIT AND GPL-3.0) OR LGPL-2.1")
    folders, wrong, seen = sys.argv[1:], [], set()
    for folder in folders:
        data = metadata(folder)
        for package in data["packages"]:
            name = f"{package['name']} {package['version']}"
            # The project's own programs have none that is published.
            if package["source"] is None or name in seen:
                continue
            seen.add(name)
            licence = package["license"]
            if not licence or not allows(licence):
                wrong.append(f"{folder}: {name} has the licence {licence}")
        if folder == folders[0]:
            packages = {package["id"]: package for package in data["packages"]}
            ours = packages[data["workspace_members"][0]]["rust_version"]
            for package in map(packages.get, linked(data)):
                needs = package["rust_version"]
                if needs and version(needs) > version(ours):
                    wrong.append(f"{package['name']} needs Rust {needs}, and the crate says {ours}")
            print(f"{len(linked(data)) - 1} packages are linked; none needs more than Rust {ours}")
    print(f"{len(seen)} packages, {len(wrong)} complaints")
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
