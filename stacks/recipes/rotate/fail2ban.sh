#!/usr/bin/env bash
# Has fail2ban read the log of `rotate`: each line of a wrong secret counts against the address it came
# from, and nothing else does: no replay, and whatever name the client sent.
set -euo pipefail
cd "$(dirname "$0")"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
../../target/debug/rotate >"$log"
grep -E ' (auth|guess) ' "$log"
expected=$(grep -cE '^[0-9]* [a-z]* [a-z]* (wrong-credentials|missing-ha1) ' "$log")
found=$(fail2ban-regex --out ip "$log" "$PWD/countersign.conf")
printf 'fail2ban: %d of %d lines, from %s\n' "$(wc -l <<<"$found")" "$expected" "$(sort -u <<<"$found" | xargs)"
[ "$expected" -ge 4 ]
grep -q ' guess missing-ha1 ' "$log"
grep -q ' warn auth replayed ' "$log"
[ "$(wc -l <<<"$found")" = "$expected" ]
[ "$(sort -u <<<"$found")" = 127.0.0.1 ]
