#!/bin/sh
# The JSON Schema admits every scenario of the tree and each form of a sweep,
# and refuses what editors shall underline. Needs python3 with jsonschema and
# yaml.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if ! python3 -c 'import jsonschema, yaml' 2>/dev/null; then
	echo 'schema.sh: no python3 with jsonschema and yaml'
	exit 77
fi
"$SOLAB" schema >"$tmp/schema"
python3 - "$tmp/schema" scenarios/*.yaml <<'END'
import json, sys, yaml
from jsonschema import Draft202012Validator as Validator

with open(sys.argv[1]) as f:
    schema = json.load(f)
Validator.check_schema(schema)
validator = Validator(schema)
good = [
    "{soavailconn: [0, 1..256*2]}",
    "{work: 10us..50us+10us}",
    "{object: [1KiB, 8KiB], workers: [8, 16], zip: [[object, workers]]}",
    "{points: [{events: 512, changes: 512}, {events: 64}]}",
    "{object: [1KiB, 8KiB], leave_out: [{object: 8KiB}]}",
    "{way: {a: {workers: 4}, b: {workers: 8}}}",
]
bad = [
    "{soavailconn: 1}", "{soavailconn: 1..2}", "{soavailconn: []}",
    "{zip: [object]}", "{zip: [[object]]}", "{zip: []}",
    "{points: {object: 1KiB}}", "{points: [{}]}", "{points: []}",
    "{leave_out: {object: 1KiB}}", "{leave_out: [{}]}", "{leave_out: []}",
]
failed = 0
for name in sys.argv[2:]:
    with open(name) as f:
        for error in validator.iter_errors(yaml.safe_load(f)):
            print(f"{name}: {error.json_path}: {error.message}")
            failed += 1
for sweep in good + bad:
    valid = validator.is_valid({"sweep": yaml.safe_load(sweep)})
    if valid != (sweep in good):
        print(f"{sweep}: {'admitted' if valid else 'refused'}")
        failed += 1
sys.exit(1 if failed else 0)
END
