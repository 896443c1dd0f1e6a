#!/usr/bin/env bash
# Runs the clients among the recipes against Apache, lighttpd, Squid, the example `serve` and the recipe
# hyper-authint, and counts by the servers' logs what was sent to each.
#
#   peers.sh            runs all
#   peers.sh wait       starts the servers, and stops them when Enter is pressed
#
# Builds nothing: `cargo build` here and `cargo build --example serve` in the folder above come first.
# All servers must be installed. Everything listens on loopback only.
set -euo pipefail
cd "$(dirname "$0")"
user=Mufasa password='Circle of Life'

is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Eight ports in a row that nobody listens on.
first_port() {
    local first port
    while true; do
        first=$((20000 + RANDOM % 1000 * 10))
        for port in $(seq $first $((first + 7))); do
            is_free "$port" || continue 2
        done
        echo $first
        return
    done
}

apache=$(first_port)
lighttpd=$((apache + 1)) squid=$((apache + 2)) serve=$((apache + 3))
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait || true; rm -rf "$dir"' EXIT

ha1() { printf %s "$user:$1:$password" | md5sum | cut -d' ' -f1; }

mkdir -p "$dir"/www/{d/dir,e,b,up,d/up}
touch "$dir"/{apache,lighttpd,squid,serve,auth-int,nextnonce,short}.log
for folder in d d/dir e b; do echo hello >"$dir/www/$folder/index.html"; done
for realm in files 'more files'; do echo "$user:$realm:$(ha1 "$realm")"; done >"$dir/htdigest"
echo "$user:proxyrealm:$(ha1 proxyrealm)" >"$dir/squid-users"
echo "$user:$password" >"$dir/plain"
# The same password, by `htpasswd -B`.
echo "$user:"'$2y$05$PGUvu8TPHs1EpYNOeJVHdexDZjCATbao9XJkihVMbT60N/kbKfPva' >"$dir/htpasswd"

# PATH REALM: a part of Apache that asks for Digest.
digest() {
    echo "<Location $1>
        AuthType Digest
        AuthName \"$2\"
        AuthDigestDomain $1
        AuthUserFile $dir/htdigest
        Require valid-user
    </Location>"
}

cat >"$dir/apache.conf" <<END
ServerRoot $dir
ServerName localhost
Listen 127.0.0.1:$apache
PidFile $dir/apache.pid
ErrorLog $dir/apache-error.log
$(for module in mpm_event authn_core authn_file authz_core authz_user auth_digest auth_basic alias dir dav \
    dav_fs; do
    echo "LoadModule ${module}_module /usr/lib/apache2/modules/mod_$module.so"
done)
User www-data
Group www-data
# With all of its threads busy it would close connections that a client is about to use again.
StartServers 1
ServerLimit 1
ThreadLimit 200
ThreadsPerChild 200
MaxRequestWorkers 200
MinSpareThreads 1
MaxSpareThreads 200
KeepAliveTimeout 60
MaxKeepAliveRequests 0
LogFormat "%>s %m \"%{Authorization}i\"" short
CustomLog $dir/apache.log short
DocumentRoot $dir/www
DirectoryIndex index.html
DavLockDB $dir/lock
Redirect 302 /d/near http://127.0.0.1:$apache/d/dir/
Redirect 302 /d/away http://127.0.0.1:$lighttpd/d/
$(digest /d files)
$(digest /e 'more files')
<Location /b>
    AuthType Basic
    AuthName "basic files"
    AuthUserFile $dir/htpasswd
    Require valid-user
</Location>
<Location /d/up>
    Dav On
</Location>
END

cat >"$dir/lighttpd.conf" <<END
server.document-root = "$dir/www"
server.bind = "127.0.0.1"
server.port = $lighttpd
server.errorlog = "$dir/lighttpd-error.log"
server.modules = ("mod_auth", "mod_authn_file", "mod_redirect", "mod_accesslog")
accesslog.filename = "$dir/lighttpd.log"
accesslog.format = "%>s %m \"%{Authorization}i\""
index-file.names = ("index.html")
url.redirect = (
    "^/d/near" => "http://127.0.0.1:$lighttpd/d/dir/",
    "^/d/away" => "http://127.0.0.1:$apache/d/",
)
auth.backend = "plain"
auth.backend.plain.userfile = "$dir/plain"
auth.require = (
    "/d" => ("method" => "digest", "realm" => "files", "algorithm" => "SHA-256", "require" => "valid-user"),
)
END

cat >"$dir/squid.conf" <<END
http_port 127.0.0.1:$squid
auth_param digest program /usr/lib/squid/digest_file_auth -c $dir/squid-users
auth_param digest children 2
auth_param digest realm proxyrealm
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all
logformat short %>Hs %rm "%{Proxy-Authorization}>h"
access_log stdio:$dir/squid.log logformat=short
cache_log $dir/squid-cache.log
pid_filename $dir/squid.pid
coredump_dir $dir
cache deny all
cache_effective_user proxy
shutdown_lifetime 1 seconds
END

chmod -R a+rwX "$dir"
/usr/sbin/apache2 -f "$dir/apache.conf" -D FOREGROUND &
/usr/sbin/lighttpd -D -f "$dir/lighttpd.conf" &
lighttpd_pid=$!
/usr/sbin/squid -N -f "$dir/squid.conf" &
# NAME PORT OPTION...
serve() {
    ../target/debug/examples/serve --listen "127.0.0.1:$2" --realm files --user "$user:$password" "${@:3}" \
        >>"$dir/$1.log" &
}
serve serve $serve
serve auth-int $((serve + 1)) --qop auth-int
serve nextnonce $((serve + 2)) --nextnonce
serve short $((serve + 3)) --nonce-lifetime 1
target/debug/hyper-authint "127.0.0.1:$((serve + 4))" both >"$dir/hyper-authint.log" &
for port in $apache $lighttpd $squid $(seq $serve $((serve + 4))); do
    while is_free "$port"; do sleep 0.1; done
done

if [ "${1:-}" = wait ]; then
    echo "Apache $apache, lighttpd $lighttpd, Squid $squid, serve $serve to $((serve + 3)), hyper-authint $((serve + 4))"
    read -r
    exit
fi

failed=0
# RECIPE ARGUMENT...
run() {
    echo "== $*"
    for log in "$dir"/{apache,lighttpd,squid,serve,auth-int,nextnonce,short}.log; do : >"$log"; done
    RUST_BACKTRACE=0 "target/debug/$1" "${@:2}" || failed=1
    # It writes its log when it is told to open it anew.
    kill -HUP $lighttpd_pid
    sleep 1
    for log in apache lighttpd squid; do
        awk -v name=$log '{ n[($NF == "\"-\"" ? "bare " : "answered ") $1]++ }
            END { for (i in n) printf "   %s: %d %s\n", name, n[i], i }' "$dir/$log.log"
    done
    for log in serve auth-int nextnonce short; do
        awk -v name=$log '$1 ~ /^[A-Z]+$/ { n[$3 " " $4]++ }
            END { for (i in n) printf "   %s: %d %s\n", name, n[i], i }' "$dir/$log.log"
    done
}

at() { echo "http://127.0.0.1:$1$2"; }

run ureq-client digest:files "$(at $apache /d/)" 'basic:basic files' "$(at $apache /b/)" \
    digest:files "$(at $lighttpd /d/)" digest:files "$(at $serve /)"
for url in $(at $apache /d/) $(at $lighttpd /d/) $(at $serve /); do run hyper-client "$url"; done
for n in 1 2; do run hyper-client "$(at $((serve + n)) /)"; done
run hyper-client "$(at $((serve + 3)) /)" 40 8
places=("$(at $apache /d/)" digest:files "$(at $apache /b/)" 'basic:basic files'
    "$(at $apache /e/)" 'digest:more files' "$(at $lighttpd /d/)" digest:files
    "$(at $serve /)" digest:files "$(at $((serve + 1)) /)" digest:files
    # Redirects within the origin, and from each of two to the other.
    "$(at $apache /d/near)" digest:files "$(at $apache /d/away)" digest:files
    "$(at $lighttpd /d/near)" digest:files "$(at $lighttpd /d/away)" digest:files)
run crawler "${places[@]}"
run crawler --proxy "$(at $squid '')" digest:proxyrealm "${places[@]}"
run upload files "$(at $apache /d/up/file)" 256
run upload files "$(at $lighttpd /d/)" 64
run upload upload "$(at $((serve + 4)) /)" 64
run upload upload "$(at $((serve + 4)) /)" 64 auth-int
exit $failed
