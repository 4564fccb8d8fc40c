#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages agree with the tree: docs.py SOURCE, or docs.py FOLDER installed. Every relative link leads to a file that is
there and to a heading that it has, and each place in the source that names the version names the project's."""

import os
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1]).resolve()
pages = [source / "README.md", *sorted((source / "docs").rglob("*.md"))]
wrong = []


def text_of(page):
    """Without code, in which nothing is a link or a heading."""
    return re.sub(r"^```.*?^```$|`[^`\n]*`", lambda code: code[0].strip("`") if "\n" not in code[0] else "",
                  page.read_text(), flags=re.DOTALL | re.MULTILINE)


def anchors(page):
    """As GitHub names headings."""
    headings = re.findall(r"^#+ +(.*)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


links = 0
for page in pages:
    for link in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
        if re.match(r"[a-z]+:", link):
            continue
        links += 1
        path, _, anchor = link.partition("#")
        target = pathlib.Path(os.path.normpath(page.parent / path)) if path else page
        name = f"{page.relative_to(source)}: {link}"
        if not target.exists():
            wrong.append(f"{name}: no such file")
        elif not target.is_relative_to(source):
            wrong.append(f"{name}: outside of the project")
        elif anchor and anchor not in anchors(target):
            wrong.append(f"{name}: no such heading")

if sys.argv[2:] != ["installed"]:
    project = (source / "CMakeLists.txt").read_text()
    header = (source / "src/abax/version.h").read_text()
    version = re.search(r"^project\(Abax VERSION (\S+)", project, re.MULTILINE)[1]
    canon = re.search(r"^#define ABAX_CANON_VERSION (\d+)", header, re.MULTILINE)[1]
    for file, pattern, wanted in (
        ("docs/changelog.md", r"^## (\d+\.\d+\.\d+)", version),
        ("docs/changelog.md", r"^## .*; canon (\d+)$", canon),
        ("docs/canon.md", r"This is version (\d+);", canon),
        ("docs/CITATION.cff", r"^version: (.*)$", version),
    ):
        found = re.search(pattern, (source / file).read_text(), re.MULTILINE)
        if not found or found[1] != wanted:
            wrong.append(f"{file}: '{found and found[1]}' where {wanted} is expected")

if links < 50:
    wrong.append(f"only {links} links were found")
print("\n".join(wrong) or f"{links} links and the versions are right")
sys.exit(bool(wrong))
