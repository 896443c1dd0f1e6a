#!/usr/bin/env bash
# Checks servers and clients in wide use with countersign-testing's check_server and check_client, and
# compares what failed with the table of its page `guide`, which is true as long as this passes.
#
#   programs.sh             all, in half an hour
#   programs.sh NAME...     those whose name begins so: programs.sh curl 'Apache httpd'
#
# `REPORTS=FOLDER` keeps the reports, to be read. Builds nothing but small programs: `cargo build
# --examples -p countersign-testing` comes first. What is not installed is skipped, and is printed.
# Everything listens on loopback only.
set -uo pipefail
cd "$(dirname "$0")"
user=Mufasa password='Circle of Life' realm=files
page=countersign-testing/src/programs.md
python=${PYTHON:-python3}
export no_proxy=127.0.0.1 PYTHONDONTWRITEBYTECODE=1
wanted=("$@")
dir=$(mktemp -d)
reports=${REPORTS:-$dir}
mkdir -p "$reports"
ended='kill $(jobs -p) 2>/dev/null; wait'
trap "$ended; rm -rf '$dir'" EXIT

have() { command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ]; }
has_module() { "$python" -c "import $1" 2>/dev/null; }
skip() { printf 'skipped: %s\n' "$*"; }
is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

wants() {
    [ "${#wanted[@]}" -gt 0 ] || return 0
    for name in "${wanted[@]}"; do [[ $1 == "$name"* ]] && return; done
    return 1
}

# A free port, in the variable `port`.
next_port() {
    port=${port:-$((20000 + RANDOM % 10000))}
    until is_free $((++port)); do :; done
}

# COMMAND...: starts a server on the port.
start() {
    "$@" >>"$dir/servers.log" 2>&1 &
    local patience=200
    while is_free "$port"; do
        [ $((patience--)) -gt 0 ] || { tail -n 5 "$dir/servers.log"; return 1; }
        sleep 0.1
    done
}

# NAME COMMAND...: one check. The command writes its report to the file after it.
checked() {
    local file="$reports/${1//[^A-Za-z0-9]/_}" begun=$SECONDS status=0
    timeout --kill-after=10 1800 "${@:2}" >"$file.txt" 2>"$file.err" || status=$?
    if [ ! -s "$file.json" ]; then
        tail -n 3 "$file.err"
        false
    else
        "$python" programs/compare.py "$page" "$1" "$file.json"
    fi && printf 'as on the page: %s, in %d s\n' "$1" $((SECONDS - begun)) || echo "$1" >>"$dir/failed"
}

# NAME PATH OPTION...: checks the server on the port.
server() {
    wants "$1" || return 0
    checked "$1" target/debug/examples/check_server --user "$user:$password" --json \
        "$reports/${1//[^A-Za-z0-9]/_}.json" "${@:3}" "http://127.0.0.1:$port$2"
}

# NAME OPTION... -- COMMAND...: checks a client.
client() {
    wants "$1" || return 0
    local options=()
    local name=$1
    shift
    while [ "$1" != -- ]; do options+=("$1") && shift; done
    checked "$name" target/debug/examples/check_client --json "$reports/${name//[^A-Za-z0-9]/_}.json" \
        "${options[@]}" "${@:2}"
}

ha1() { printf %s "$user:$realm:$password" | "$1" | cut -d' ' -f1; }

mkdir -p "$dir"/www/{digest,counts,basic}
for folder in digest counts basic; do echo hello >"$dir/www/$folder/index.html"; done
echo "$user:$realm:$(ha1 md5sum)" >"$dir/htdigest"
echo "$user:$realm:$(ha1 sha256sum)" >"$dir/htdigest-sha256"
echo "$user:$password" >"$dir/plain"
# The same password, by `htpasswd -B` and `openssl passwd -apr1`.
bcrypt='$2y$05$PGUvu8TPHs1EpYNOeJVHdexDZjCATbao9XJkihVMbT60N/kbKfPva'
echo "$user:$bcrypt" >"$dir/bcrypt"
printf '%s:' "$user" >"$dir/apr1"
openssl passwd -apr1 "$password" >>"$dir/apr1"
chmod -R a+rX "$dir"

servers() {
    trap "$ended" EXIT
    local tomcat=/usr/share/tomcat10
    if have apache2; then
        next_port
        auth() { echo "<Location $1>
            AuthType $2
            AuthName $realm
            AuthUserFile $dir/$3
            Require valid-user
            $4
        </Location>"; }
        cat >"$dir/apache.conf" <<END
ServerRoot $dir
ServerName localhost
Listen 127.0.0.1:$port
PidFile $dir/apache.pid
ErrorLog $dir/apache-error.log
DefaultRuntimeDir $dir
Mutex file:$dir default
$(for module in mpm_event authn_core authn_file authz_core authz_user auth_digest auth_basic dir; do
    echo "LoadModule ${module}_module /usr/lib/apache2/modules/mod_$module.so"
done)
User www-data
Group www-data
DocumentRoot $dir/www
$(auth /digest Digest htdigest '')
$(auth /counts Digest htdigest 'AuthDigestNcCheck On')
$(auth /basic Basic apr1 '')
END
        chmod a+rwx "$dir"
        if start /usr/sbin/apache2 -f "$dir/apache.conf" -D FOREGROUND; then
            server 'Apache httpd, Digest' /digest/index.html
            server 'Apache httpd with AuthDigestNcCheck' /counts/index.html
            server 'Apache httpd, Basic' /basic/index.html
        fi
    else
        skip 'no apache2'
    fi
    if [ -d $tomcat ] && have java; then
        next_port
        mkdir -p "$dir"/tomcat/{conf,logs,temp,work}
        cp /etc/tomcat10/web.xml "$dir/tomcat/conf" 2>/dev/null || cp $tomcat/etc/web.xml "$dir/tomcat/conf"
        for method in digest basic; do
            mkdir -p "$dir/tomcat/webapps/$method/WEB-INF"
            echo hello >"$dir/tomcat/webapps/$method/index.html"
            cat >"$dir/tomcat/webapps/$method/WEB-INF/web.xml" <<END
<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="5.0">
<security-constraint>
<web-resource-collection><web-resource-name>all</web-resource-name><url-pattern>/*</url-pattern></web-resource-collection>
<auth-constraint><role-name>user</role-name></auth-constraint>
</security-constraint>
<login-config><auth-method>${method^^}</auth-method><realm-name>$realm</realm-name></login-config>
<security-role><role-name>user</role-name></security-role>
</web-app>
END
        done
        cat >"$dir/tomcat/conf/users.xml" <<END
<tomcat-users><role rolename="user"/><user username="$user" password="$password" roles="user"/></tomcat-users>
END
        cat >"$dir/tomcat/conf/server.xml" <<END
<Server port="-1">
<GlobalNamingResources><Resource name="Users" auth="Container" type="org.apache.catalina.UserDatabase"
  factory="org.apache.catalina.users.MemoryUserDatabaseFactory" pathname="conf/users.xml"/></GlobalNamingResources>
<Service name="Catalina"><Connector port="$port" address="127.0.0.1" protocol="HTTP/1.1"/>
<Engine name="Catalina" defaultHost="localhost">
<Realm className="org.apache.catalina.realm.UserDatabaseRealm" resourceName="Users"/>
<Host name="localhost" appBase="webapps" autoDeploy="false"/>
</Engine></Service></Server>
END
        if CATALINA_HOME=$tomcat CATALINA_BASE="$dir/tomcat" start $tomcat/bin/catalina.sh run; then
            server 'Tomcat, Digest' /digest/index.html
            server 'Tomcat, Basic' /basic/index.html
        fi
    else
        skip 'no tomcat10'
    fi
    if have lighttpd; then
        next_port
        cat >"$dir/lighttpd.conf" <<END
server.document-root = "$dir/www"
server.bind = "127.0.0.1"
server.port = $port
server.errorlog = "$dir/lighttpd-error.log"
server.modules = ("mod_auth", "mod_authn_file")
mimetype.assign = (".html" => "text/html")
\$HTTP["url"] =~ "^/digest" {
    auth.backend = "htdigest"
    auth.backend.htdigest.userfile = "$dir/htdigest-sha256"
    auth.require = ("/digest" => ("method" => "digest", "realm" => "$realm", "algorithm" => "SHA-256",
        "require" => "valid-user"))
}
\$HTTP["url"] =~ "^/basic" {
    auth.backend = "plain"
    auth.backend.plain.userfile = "$dir/plain"
    auth.require = ("/basic" => ("method" => "basic", "realm" => "$realm", "require" => "valid-user"))
}
END
        if start /usr/sbin/lighttpd -D -f "$dir/lighttpd.conf"; then
            server 'lighttpd, SHA-256' /digest/index.html
            server 'lighttpd, Basic' /basic/index.html
        fi
    else
        skip 'no lighttpd'
    fi
    if have nginx; then
        next_port
        cat >"$dir/nginx.conf" <<END
daemon off; master_process off; pid $dir/nginx.pid; error_log $dir/nginx-error.log;
events { worker_connections 64; }
http {
    access_log off; client_body_temp_path $dir/t1; proxy_temp_path $dir/t2; fastcgi_temp_path $dir/t3;
    uwsgi_temp_path $dir/t4; scgi_temp_path $dir/t5;
    server {
        listen 127.0.0.1:$port; root $dir/www;
        location /basic { auth_basic $realm; auth_basic_user_file $dir/apr1; }
    }
}
END
        if start /usr/sbin/nginx -c "$dir/nginx.conf"; then server 'nginx, Basic' /basic/index.html; fi
    else
        skip 'no nginx'
    fi
    if have cc && [ -f /usr/include/microhttpd.h ]; then
        next_port
        cc -o "$dir/microhttpd" programs/microhttpd.c -lmicrohttpd
        if start "$dir/microhttpd" "$port"; then
            server 'libmicrohttpd, SHA-256' /digest
            server 'libmicrohttpd, Basic' /basic
        fi
    else
        skip 'no libmicrohttpd'
    fi
    if have civetweb; then
        next_port
        mkdir -p "$dir/civetweb/digest"
        echo hello >"$dir/civetweb/digest/index.html"
        cp "$dir/htdigest" "$dir/civetweb/digest/.htpasswd"
        if start civetweb -listening_ports "127.0.0.1:$port" -document_root "$dir/civetweb" \
            -authentication_domain "$realm" -put_delete_auth_file "$dir/htdigest"; then
            server 'CivetWeb' /digest/index.html
        fi
    else
        skip 'no civetweb'
    fi
    if have caddy; then
        next_port
        cat >"$dir/Caddyfile" <<END
{
	admin off
}
http://127.0.0.1:$port {
	basicauth {
		$user $bcrypt
	}
	respond hello
}
END
        if HOME=$dir start caddy run --adapter caddyfile --config "$dir/Caddyfile"; then
            server 'Caddy, Basic' /basic
        fi
    else
        skip 'no caddy'
    fi
    local name
    for name in cherrypy twisted flask_httpauth werkzeug; do
        has_module $name || { skip "no Python module $name"; continue; }
        next_port
        start "$python" programs/servers.py "${name%_*}" "$port" || continue
        case $name in
            cherrypy)
                server 'CherryPy, Digest' /digest
                server 'CherryPy, Basic' /basic
                ;;
            twisted) server 'Twisted' /digest ;;
            flask_httpauth) server 'Flask-HTTPAuth' /digest ;;
            werkzeug) server 'Werkzeug, Basic' /basic ;;
        esac
    done
    if have squid && have lighttpd; then
        # What it is asked for is a page of lighttpd that needs nobody's credentials.
        next_port
        local origin=$port
        cat >"$dir/origin.conf" <<END
server.document-root = "$dir/www"
server.bind = "127.0.0.1"
server.port = $origin
server.errorlog = "$dir/origin-error.log"
END
        start /usr/sbin/lighttpd -D -f "$dir/origin.conf"
        next_port
        cat >"$dir/squid.conf" <<END
http_port 127.0.0.1:$port
auth_param digest program /usr/lib/squid/digest_file_auth -c $dir/htdigest
auth_param digest children 2
auth_param digest realm $realm
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all
access_log none
cache deny all
cache_log $dir/squid-cache.log
pid_filename $dir/squid.pid
coredump_dir $dir
cache_effective_user proxy
shutdown_lifetime 1 seconds
pinger_enable off
END
        chmod a+rwx "$dir"
        if start /usr/sbin/squid -N -f "$dir/squid.conf"; then
            local proxy="http://127.0.0.1:$port"
            port=$origin server 'Squid, as a proxy' /digest/index.html --proxy "$proxy"
        fi
    else
        skip 'no squid'
    fi
}

python_clients() {
    local name algorithm
    for name in "$@"; do
        algorithm=SHA-256
        [ "$name" != urllib ] || algorithm=MD5
        has_module "$name" || { skip "no Python module $name"; continue; }
        [ "$name" != urllib ] || name='urllib of Python, MD5'
        client "$name" --algorithm $algorithm -- \
            "$python" programs/client.py "${name%% *}" {url} {method} {file}
    done
}

other_clients() {
    local name
    if have curl; then
        client curl -- curl -s --digest -L -u "$user:$password" -X {method} --data-binary @{file} {url}
    else
        skip 'no curl'
    fi
    if have wget; then
        client 'wget, MD5' --algorithm MD5 -- \
            wget -q -O /dev/null --tries=1 --no-config "--user=$user" "--password=$password" {url}
    else
        skip 'no wget'
    fi
    for name in urllib digest-fetch; do
        if have node && node -e "require.resolve('$name')" 2>/dev/null; then
            client "npm $name, MD5" --algorithm MD5 -- node programs/client.mjs $name {url} {method} {file}
        else
            skip "no package $name of Node"
        fi
    done
    if have javac; then
        javac -d "$dir" programs/Client.java
        client 'HttpURLConnection of OpenJDK, MD5' --algorithm MD5 -- java -cp "$dir" Client {url}
    else
        skip 'no javac'
    fi
}

# Clients wait for their programs to start, so that three at a time are no slower.
servers &
python_clients requests httpx aiohttp &
python_clients niquests urllib &
other_clients &
wait
if [ -s "$dir/failed" ]; then
    echo "not as on the page: $(paste -sd, "$dir/failed")"
    exit 1
fi
