#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds lines of stixel-json to their schema, and the schema to them.

usage: check_lines.py SCHEMA LINES PAGE

Every line, and every example on the page, must be valid, without keys that the schema does not
name. And the schema must refuse each short line with a key left out, renamed, or of a wrong value;
and lines must show every key of it.
Exit status 77 without python3-jsonschema.
"""
import copy
import json
import re
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: no python3-jsonschema")
    sys.exit(77)

# Optional keys of lines: parts that a frame may lack.
OPTIONAL = {"motion", "stixels", "obstacles", "free_space", "points", "metres", "velocity",
            "hazard", "md5"}
WRONG = ["wrong", -1.5, [], {}, [{}], [-1]]
MOST = 2  # of a list that are changed
SHORT = 3000  # bytes: longer lines are not broken, since each way costs a validation of all of it


def strict(schema):
    """The same, with no keys but those that it names."""
    if isinstance(schema, list):
        return [strict(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    copied = {key: strict(value) for key, value in schema.items()}
    if "properties" in schema and "type" in schema:
        copied["additionalProperties"] = False
    return copied


def keys_of(schema, path=()):
    """The paths of all keys that the schema names."""
    for key, value in schema.get("properties", {}).items():
        yield (*path, key)
        yield from keys_of(value, (*path, key))
        yield from keys_of(value.get("items", {}), (*path, key))


def places(value, path=()):
    """(path, names of the keys on it) of every key in a line; of lists the first few entries."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield (*path, key)
            yield from places(entry, (*path, key))
    elif isinstance(value, list):
        for number, entry in enumerate(value[:MOST]):
            yield from places(entry, (*path, number))


def names(path):
    return tuple(key for key in path if isinstance(key, str))


def changed(line, path, change):
    """A copy of the line after `change (object, key)` at the end of the path."""
    copied = copy.deepcopy(line)
    place = copied
    for key in path[:-1]:
        place = place[key]
    change(place, path[-1])
    return copied


def rename(place, key):
    place["no_such_key"] = place.pop(key)


def wrong_values(schema, path):
    """Values that cannot stand there: numbers may be negative in some places."""
    entry = schema
    for key in names(path):
        entry = entry.get("items", entry)["properties"][key]
    kinds = entry.get("type", [])
    free = "number" in kinds and "minimum" not in entry and "exclusiveMinimum" not in entry
    lists = [[]] if "array" in kinds and "minItems" not in entry else []
    return [value for value in WRONG if value not in lists and not (free and value == -1.5)]


def broken(schema, line):
    """(what was done, the line) for every way to break this one."""
    for path in places(line):
        where = "/".join(map(str, path))
        if path[-1] not in OPTIONAL:
            yield f"{where} left out", changed(line, path, lambda place, key: place.pop(key))
        yield f"{where} renamed", changed(line, path, rename)
        for value in wrong_values(schema, path):
            yield f"{where} = {value}", changed(
                line, path, lambda place, key, value=value: place.update({key: value}))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    with open(sys.argv[3], encoding="utf-8") as file:
        lines += [json.loads(text) for text in re.findall(r"^```json\n(.*?)^```", file.read(),
                                                          re.S | re.M)]
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    validator = kind(strict(schema))
    faults, seen, count = [], set(), 0
    for number, line in enumerate(lines, 1):
        faults += [f"line {number}: {error.json_path}: {error.message}"
                   for error in validator.iter_errors(line)]
        seen |= {names(path) for path in places(line)}
        for what, other in broken(schema, line) if len(json.dumps(line)) < SHORT else ():
            count += 1
            if validator.is_valid(other):
                faults.append(f"line {number} is valid with {what}")
    faults += [f"no line has {'/'.join(path)}" for path in set(keys_of(schema)) - seen]
    print("\n".join(faults) or f"{len(lines)} lines are valid, {count} broken ones are not")
    return 1 if faults or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
