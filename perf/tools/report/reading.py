# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads result files. A file may be anybody's: each value is asked for by name and kind, and what is not as it should be
is named."""

import json
import re

SCHEMA = "abax-lab/1"
LARGEST_FILE = 256 << 20


class Refused(Exception):
    """One line: which file, where in it, and what was expected there."""


class Node:
    """A value of a file, and where it stands, for messages."""

    def __init__(self, value, where):
        self.value, self.where = value, where

    def wrong(self, expected):
        return Refused(f"{self.where}: expected {expected}")

    def entry(self, key):
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        return Node(self.value.get(key), f"{self.where}.{key}")

    def has(self, key):
        return self.entry(key).value is not None

    def members(self):
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        return [(k, Node(v, f"{self.where}.{shown(k)}")) for k, v in self.value.items()]

    def items(self, key):
        """Of an object that may be missing."""
        return self.entry(key).members() if self.has(key) else []

    def each(self, key, most, least=0):
        return self.entry(key).elements(most, least)

    def elements(self, most, least=0):
        value = [] if self.value is None and least == 0 else self.value
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise self.wrong(f"a list of {least} to {most}")
        return [Node(v, f"{self.where}[{i}]") for i, v in enumerate(value)]

    def text(self, key, default=None):
        node = self.entry(key)
        value = default if node.value is None else node.value
        if not isinstance(value, str):
            raise node.wrong("a text")
        return value

    def flag(self, key):
        node = self.entry(key)
        if node.value not in (None, True, False):
            raise node.wrong("true or false")
        return bool(node.value)

    def as_number(self):
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            raise self.wrong("a number")
        try:
            finite = self.value == 0 or 1e-100 < abs(self.value) < 1e100
        except OverflowError:
            finite = False
        if not finite:
            raise self.wrong("a finite number of ordinary size")
        return self.value

    def number(self, key):
        return self.entry(key).as_number()

    def as_whole(self, low, high):
        value = self.as_number()
        if value != int(value) or not low <= value <= high:
            raise self.wrong(f"a whole number from {low} to {high}")
        return int(value)

    def whole(self, key, low, high):
        return self.entry(key).as_whole(low, high)

    def choice(self, key, allowed, default):
        value = self.text(key, default)
        if value not in allowed:
            raise self.entry(key).wrong("one of " + ", ".join(allowed))
        return value


def shown(text):
    """What cannot do harm in a terminal or a page, nor hide what stands beside it."""
    hidden = "\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff"
    return re.sub(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{hidden}]", "\ufffd", text)


def read(path):
    try:
        if not path.is_file():
            raise Refused(f"{path}: is no file")
        if path.stat().st_size > LARGEST_FILE:
            raise Refused(f"{path}: is larger than {LARGEST_FILE >> 20} MiB")
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Refused(f"{path}: is no UTF-8 text") from None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(f"{path}: is no whole JSON text ({error})") from None
    root = Node(value, str(path))
    schema = value.get("schema") if isinstance(value, dict) else None
    if schema != SCHEMA:
        raise Refused(f"{path}: is no result of abax-lab: its schema is {json.dumps(schema)[:60]}, not {SCHEMA}")
    return root
