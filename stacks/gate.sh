#!/usr/bin/env bash
# Runs countersign-gate behind nginx, Caddy and HAProxy, with their configurations as its README has
# them, and checks by real clients what passes.
#
#   gate.sh          nginx, Caddy and HAProxy; curl, requests and httpx
#   gate.sh all      also Chromium and Prometheus, if they are installed
#
# Builds nothing: `cargo build -p countersign-gate` comes first. Everything listens on loopback only.
set -euo pipefail
cd "$(dirname "$0")"
exec python3 -B countersign-gate/tests/proxies/main.py "${GATE:-target/debug/countersign-gate}" "$@"
