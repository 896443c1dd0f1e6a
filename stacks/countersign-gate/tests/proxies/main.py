"""Checks countersign-gate behind real proxies: see `gate.sh`."""
import sys
import time

from basic import check_basic, check_demo, check_envoy, check_login
from clients import check_clients
from files import check_files
from forwarded import check_caddy, check_haproxy
from guesses import check_guesses
from internal import check_internal
from limits import check_limits
from nginx import Nginx
from requests_of import check_requests
from rows import Rows
from stage import Stage, find, free_ports


def main():
    gate, everything = sys.argv[1], "all" in sys.argv[2:]
    if not find("nginx"):
        print("skipped: no nginx")
        return
    rows, stage, start = Rows(), Stage(gate), time.monotonic()
    try:
        nginx = Nginx(stage)
        nginx.status, stage.forwarded_status = free_ports(2)
        nginx.write(stage.socket)
        stage.gate("gate", "nginx", "--status", f"127.0.0.1:{nginx.status}", socket=stage.socket)
        stage.socket.chmod(0o666)
        nginx.start()
        limits, silent = check_limits(rows, nginx)
        check_clients(rows, nginx, everything)
        check_basic(rows, nginx)
        check_envoy(rows, stage)
        check_demo(rows, stage)
        check_login(rows, nginx, everything)
        check_requests(rows, nginx)
        check_internal(rows, nginx)
        for name, check in (("caddy", check_caddy), ("haproxy", check_haproxy)):
            if find(name):
                check(rows, stage, nginx.silent)
            else:
                rows.skip(f"{name}: not installed")
        limits.join()
        silent.close()
        check_files(rows, nginx)
        check_guesses(rows, nginx, everything)
    finally:
        if rows.failed or sys.exc_info()[0]:
            print(stage.log("gate")[-3000:])
        stage.close()
    seconds = time.monotonic() - start
    print(f"gate.sh: {rows.count} rows, {len(rows.failed)} failed, {rows.skipped} skipped, {seconds:.0f} s")
    if rows.failed:
        sys.exit(f"failed: {rows.failed}")


main()
