"""nginx, with the two files of its configuration as they are installed."""
import re
import subprocess
import threading

from stage import find, free_ports, is_open


class Nginx:
    def __init__(self, stage):
        self.stage = stage
        names = "main tls mapped unnamed careless slow down basic basic_tls"
        self.ports = dict(zip(names.split(), free_ports(9)))
        self.silent, = free_ports(1)

    def server(self, name, locations, **replaced):
        included = self.stage.conf("nginx-server.conf", **replaced)
        tls = {"main": f"listen 127.0.0.1:{self.ports['tls']} ssl http2;"}.get(name, "")
        tls = {"basic": f"listen 127.0.0.1:{self.ports['basic_tls']} ssl;"}.get(name, tls)
        return f"""
        server {{
            listen 127.0.0.1:{self.ports[name]}; {tls}
            root {self.stage.dir}/www; index index.html;
            {included}
            {locations}
        }}"""

    def write(self, gate_socket):
        stage, app = self.stage, f"http://127.0.0.1:{self.stage.app.port}"
        upstream = f"upstream countersign_gate {{ server unix:{gate_socket}; keepalive 8; }}"
        http = upstream + stage.conf("nginx-http.conf")
        gate = "http://countersign_gate"
        ours = '"$request_id.$pid.$connection.$connection_requests"'
        main = self.server("main", f"""
            location / {{ }}
            location /app/ {{ proxy_pass {app}; }}
            location /kept/ {{ proxy_pass {app}; proxy_cache c; proxy_cache_valid 200 60s; }}
            location /nest/ {{ proxy_set_header X-Foo bar; proxy_pass {app}; }}
            location ~ \\.php$ {{ proxy_pass {app}; }}
            location /named/ {{ try_files /none @named; }}
            location @named {{ auth_request off; proxy_set_header X-Foo bar; proxy_pass {app}; }}
            location /mirrored/ {{ mirror /mirror; proxy_pass {app}; }}
            location = /mirror {{
                internal; auth_request off; proxy_set_header X-Foo bar; proxy_pass {app}/mirror;
            }}
            location /try/ {{ try_files $uri /fallback.txt; }}
            location /rewrite/ {{ rewrite ^/rewrite/(.*)$ /$1 last; }}
            location /err/ {{
                proxy_pass {app}; proxy_intercept_errors on;
                error_page 500 /50x.html; error_page 403 = @countersign_refused;
            }}
            location /closed/ {{ proxy_pass http://127.0.0.1:1; error_page 502 /50x.html; }}
            location /late/ {{
                proxy_pass http://127.0.0.1:{self.silent}; proxy_read_timeout 1s;
                error_page 504 /50x.html;
            }}
            location /static/ {{ alias {stage.dir}/www/; error_page 405 /50x.html; }}
            location /e401/ {{ error_page 401 /50x.html; proxy_pass {app}; }}
            location /own404/ {{ error_page 404 /50x.html; }}
            location /socket/ {{
                proxy_pass {app}; proxy_http_version 1.1;
                proxy_set_header X-Remote-User $gate_user; proxy_set_header Authorization "";
                proxy_set_header Upgrade websocket; proxy_set_header Connection upgrade;
            }}""")
        # What a server may have for its application, and the question to the gate must not.
        careless = """
            proxy_cache c; proxy_cache_valid 200 60s; proxy_ignore_headers Cache-Control;
            proxy_intercept_errors on; error_page 401 500 502 504 =200 /50x.html;
            rewrite ^/(.*)$ /x.php?$1 last;"""
        php = f"location ~ \\.php$ {{ proxy_pass {app}; }} location / {{ }}"
        servers = [
            main,
            # A common `map`, by which the id is the client's own.
            self.server("mapped", "", **{ours: ours.replace("$request_id", "$client_id")}),
            self.server("unnamed", "", **{ours: '""'}),
            self.server("careless", careless + php),
            self.server("slow", "", **{gate: f"http://127.0.0.1:{self.silent}"}),
            self.server("basic", "", **{gate: f"http://unix:{stage.dir}/basic.sock:"}),
            self.server("down", careless + php, **{gate: "http://127.0.0.1:1"}),
        ]
        (stage.dir / "nginx.conf").write_text(f"""
        worker_processes 1; daemon off; pid {stage.dir}/nginx.pid; user www-data;
        error_log {stage.dir}/nginx-error.log info;
        events {{ worker_connections 512; }}
        http {{
            log_format asked '$request_method $request_uri $status "$http_authorization"';
            access_log {stage.dir}/access.log asked;
            client_body_temp_path {stage.dir}/tmp; proxy_temp_path {stage.dir}/tmp;
            proxy_cache_path {stage.dir}/cache keys_zone=c:1m;
            types {{ text/html html; text/plain txt; }}
            ssl_certificate {stage.dir}/cert.pem; ssl_certificate_key {stage.dir}/key.pem;
            underscores_in_headers on;
            map $http_x_request_id $client_id {{ default $http_x_request_id; "" $request_id; }}
            {http}
            {''.join(servers)}
        }}""")

    def start(self):
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
        names = ["-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=127.0.0.1"]
        names += ["-addext", "subjectAltName=IP:127.0.0.1"]
        subprocess.run([*command, *names], cwd=self.stage.dir, check=True, capture_output=True)
        self.stage.start("nginx", [find("nginx"), "-c", f"{self.stage.dir}/nginx.conf"], self.ports["main"])

    def version(self):
        shown = subprocess.run([find("nginx"), "-v"], capture_output=True, text=True).stderr
        return tuple(int(it) for it in re.search(r"(\d+)\.(\d+)\.", shown).groups())
