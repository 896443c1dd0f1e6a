#!/bin/sh
# Compiles microhttpd.c, if it is given nothing to do but to print its version, and runs it.
#
# sh microhttpd.sh [PORT]
set -eu
built=../../target/peers/microhttpd
if [ $# = 0 ]; then
  mkdir -p ../../target/peers
  # Not written where another test may be running it.
  cc microhttpd.c -o "$built.$$" -lmicrohttpd
  mv "$built.$$" "$built"
fi
exec "$built" "$@"
