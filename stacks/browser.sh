#!/usr/bin/env bash
# Chromium against servers of this crate: it asks its user once, and not again for the pages after
# that; with a wrong password it shows no page. Everything listens on loopback only.
set -euo pipefail
cd "$(dirname "$0")"
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait || true; rm -rf "$dir"' EXIT

# COMMAND...: starts a server, and leaves its address in $address.
start() {
    local out
    out=$(mktemp "$dir/XXXX")
    "$@" >"$out" 2>/dev/null &
    until grep -q '^listening on ' "$out"; do
        kill -0 $!
        sleep 0.1
    done
    address=$(sed -n 's/^listening on //p' "$out")
}

# WHAT PATH PASSWORD STATUS...: one page for each status.
visit() {
    local what=$1 path=$2 password=$3 shown
    shift 3
    shown=$(python3 ../tests/peers/chromium.py digest "http://$address$path" Mufasa "$password" GET '' $# |
        xargs)
    printf '%s: %s\n' "$what" "$shown"
    [ "$shown" = "$*" ]
}

chromium --version
start target/debug/axum-layer 127.0.0.1:0
visit 'SHA-256' /admin/x 'Circle of Life' 200 200 200
visit 'SHA-256, wrong password' /admin/x 'Circle of Lies' 401
serve=(../target/debug/examples/serve --user 'Mufasa:Circle of Life')
start "${serve[@]}"
visit 'SHA-256 and MD5' /a 'Circle of Life' 200 200 200
start "${serve[@]}" --algorithm MD5 --nextnonce
visit 'MD5, a nonce for each' /a 'Circle of Life' 200 200 200
start "${serve[@]}" --basic --allow-cleartext-basic
visit 'Digest beside Basic' /a 'Circle of Life' 200 200
