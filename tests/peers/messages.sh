#!/bin/sh
# Sends so many requests of RTSP or SIP with a program. With nothing behind the program, prints its
# version.
#
# sh messages.sh PROGRAM ADDRESS USER PASSWORD COUNT
set -euf
program=$1
shift
case $program,$# in
ffprobe,0) exec ffprobe -version ;;
rtspsrc,0)
  gst-inspect-1.0 rtspsrc >/dev/null
  # Its first line has the number that is in the program's name.
  gst-launch-1.0 --version | tail -n +2
  exit
  ;;
sipsak,0) command -v sipsak >/dev/null && { sipsak -V || true; } && exit ;;
sipp,0) command -v sipp >/dev/null && { sipp -v || true; } && exit ;;
esac
address=$1 user=$2 password=$3 count=$4

case $program in
ffprobe)
  escaped() { printf %s "$1" | sed 's/ä/%C3%A4/g; s/ø/%C3%B8/g'; }
  exec ffprobe -v quiet -timeout 8000000 -rtsp_transport tcp \
    -i "rtsp://$(escaped "$user"):$(escaped "$password")@$address/stream?x=1"
  ;;
rtspsrc)
  # It would wait for packets that do not come.
  exec timeout 5 gst-launch-1.0 -q rtspsrc protocols=tcp "location=rtsp://$address/stream?x=1" \
    "user-id=$user" "user-pw=$password" ! fakesink
  ;;
sipsak)
  # One for each of so many names. It would wait for an answer to what it breaks.
  if [ "$count" = 1 ]; then set -- -C sip:caller@127.0.0.1:9; else set -- -b 1 -e "$count"; fi
  exec timeout 5 sipsak -U -s "sip:caller@$address" "$@" -u "$user" -a "$password"
  ;;
sipp)
  directory=$(mktemp -d)
  trap 'rm -rf "$directory"' EXIT
  sed "s/USERNAME/$user/; s/PASSWORD/$password/; s/COUNT/$count/" register.xml >"$directory/register.xml"
  cd "$directory"
  TERM=dumb sipp -sf register.xml -m 1 -i 127.0.0.1 "$address" -timeout 8 -timeout_error -nostdin
  ;;
esac
