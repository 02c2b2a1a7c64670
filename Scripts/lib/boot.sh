#!/bin/bash
# Runs inside the container that Scripts/boot starts, as a service of its systemd: what the units promise,
# one line each. The last line says that all of it was looked at.
export LC_ALL=C.UTF-8
socket=/run/earshot/socket

check() {
  local what=$1
  shift
  if "$@" >/tmp/said 2>&1; then echo "ok      $what"; else
    echo "FAILED  $what"
    sed 's/^/        /' /tmp/said | tail -5
  fi
}
ask() { curl -s -m 20 --unix-socket "$socket" "$@"; }
# A request by a service of its own: its name, its user, then curl's words.
ask_as() { systemd-run --quiet --wait --pipe --unit="$1" --uid="$2" curl -s -m 20 --unix-socket "$socket" "${@:3}"; }
main() { systemctl show -p MainPID --value earshotd.service; }
in_service() { nsenter -t "$(main)" "$@"; }
state_is() { [ "$(systemctl is-active "$1")" = "$2" ]; }
eventually() { for _ in $(seq 100); do "$@" && return; sleep 0.2; done; return 1; }

useradd --system --create-home visitor
check "the machine came up with nothing failed" test "$(systemctl is-system-running)" = running
check "sysusers made the user and gave it the group audio" sh -c 'id -nG earshot | grep -qw audio'
check "the sockets listen and the daemon waits to be called" \
  sh -c 'systemctl is-active earshotd.socket earshot-kiosk.socket && ! systemctl is-active earshotd.service'
check "the first request starts it" sh -c "curl -s -m 20 --unix-socket $socket http://x/v1/status | grep -q '\"isPrivate\":false'"
check "it told that it was ready" sh -c "systemctl show -p StatusText earshotd.service | grep -q 'microphone is closed'"
check "it has no capability and gains none" \
  sh -c "grep -q 'CapEff:.*0000000000000000' /proc/$(main)/status && grep -q 'NoNewPrivs:.*1' /proc/$(main)/status"
check "its network is one loopback of its own" \
  sh -c "test \$(nsenter -t $(main) -n ip -o link | wc -l) = 1 && test \$(readlink /proc/$(main)/ns/net) != \$(readlink /proc/self/ns/net)"
check "the page answers on the machine's loopback all the same" \
  sh -c "test \$(curl -s -m 20 -o /dev/null -w '%{http_code}' http://127.0.0.1:8484/) -ge 200"
link=$(runuser -u earshot -- earshot kiosk link 2>/tmp/link-error | grep -o 'http://127[^ ]*' | head -1)
check "the kiosk's link opens the page, whose service has no network" sh -c \
  "curl -s -m 20 -L -H 'Sec-Fetch-Site: none' -c /tmp/jar -b /tmp/jar -o /tmp/page -w '%{http_code}' '$link' | grep -q 200 && grep -qi '<html' /tmp/page || { cat /tmp/link-error; head -c 300 /tmp/page; exit 1; }"
check "it can't write beside its state" \
  sh -c "! nsenter -t $(main) -m touch /etc/x /usr/x && nsenter -t $(main) -m touch /var/lib/earshot/x && rm /var/lib/earshot/x"
check "another user's service is told by its unit" \
  sh -c "systemd-run --quiet --wait --pipe --unit=museum --uid=visitor curl -s --unix-socket $socket http://x/v1/status | grep -q '\"name\":\"museum.service\"'"
check "and is no agent" sh -c "systemd-run --quiet --wait --pipe --unit=museum --uid=visitor \
  curl -s -o /dev/null -w '%{http_code}' --unix-socket $socket http://x/v1/consents | grep -q 403"
check "a listed service is one" sh -c "systemd-run --quiet --wait --pipe --unit=museum-agent --uid=visitor \
  curl -s -o /dev/null -w '%{http_code}' --unix-socket $socket http://x/v1/consents | grep -q 200"
check "a session's program of another user can't be told, and no guess is made" \
  sh -c "systemd-run --quiet --wait --pipe --scope --uid=visitor curl -s --unix-socket $socket http://x/v1/status | grep -q '\"requester\"' && exit 1 || exit 0"
old=$(main)
kill -KILL "$old"
check "killed, it is there again with the next request" eventually sh -c "curl -s -m 5 --unix-socket $socket http://x/v1/status | grep -q isPrivate"
systemctl stop earshotd.service 2>/dev/null
check "stopped, its sockets stay" sh -c "test -S $socket && systemctl is-active earshotd.socket"
check "and call it again" sh -c "curl -s -m 20 --unix-socket $socket http://x/v1/status | grep -q isPrivate"
mkdir -p /run/systemd/system/earshotd.service.d
printf '[Service]\nWatchdogSec=3\n' >/run/systemd/system/earshotd.service.d/soon.conf
systemctl daemon-reload
systemctl restart earshotd.service
sleep 5
old=$(main)
check "it keeps its watchdog content" state_is earshotd.service active
kill -STOP "$old"
check "hung, the watchdog ends it" eventually sh -c "! test -d /proc/$old"
check "and the next request starts another" eventually sh -c "curl -s -m 5 --unix-socket $socket http://x/v1/status | grep -q isPrivate"
# A person's own daemon, under the person's own manager.
loginctl enable-linger visitor
user=$(id -u visitor)
eventually test -S "/run/user/$user/bus"
as_user() { runuser -u visitor -- env XDG_RUNTIME_DIR="/run/user/$user" "$@"; }
check "a person's own socket is made by their own manager" as_user systemctl --user start earshotd.socket
check "and starts their own daemon, which knows their programs" sh -c \
  "runuser -u visitor -- curl -s -m 20 --unix-socket /run/user/$user/earshot/socket http://x/v1/status | grep -q '\"executable\":\"/usr/bin/curl\"'"
echo "exposure $(systemd-analyze security earshotd.service | grep -o 'level.*' | tail -1)"
echo "all of it was looked at"
