# Runs schemathesis against a live daemon: no server error, and no answer that the description does not
# have. Source it after packages.sh, then call: check_wire PROGRAMS [EXAMPLES]

# Streams have no end, so they are held by the tests of the service instead.
wire_streams='^/v1/(events|prompts|captions/.*)$'

check_wire() {
  local programs examples=${2:-15} venv=$PWD/.build/schemathesis place status=0 root=$PWD
  programs=$(realpath "$1")
  local python
  # The program itself, whatever stands in front of it on PATH.
  python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
  if [ ! -x "$venv/bin/schemathesis" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet 'schemathesis>=4,<5'
  fi
  if [ "$(id -u)" -ne 0 ]; then
    # The administrator's file has to be root's, or Python is no listed agent.
    echo "The wire's description is checked as root only; as this user it was left out." >&2
    return 0
  fi
  place=$(mktemp -d "${TMPDIR:-/tmp}/earshot-wire.XXXXXX")
  mkdir -m 700 "$place/run" "$place/home"
  mkdir -p "$place/home/.config/earshot"
  printf '{"agents":["%s"]}\n' "$python" >"$place/administrator.json"
  chmod 644 "$place/administrator.json"
  # A source that is not there: what is allowed to listen ends at once, and nothing is opened.
  printf '{"source":"earshot-none","sources":["earshot-none"]}\n' \
    >"$place/home/.config/earshot/earshot.json"
  (
    export HOME=$place/home XDG_RUNTIME_DIR=$place/run
    unset DBUS_SESSION_BUS_ADDRESS NOTIFY_SOCKET XDG_STATE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
    exec "$programs/earshotd" --administrator-file "$place/administrator.json" 2>"$place/log"
  ) &
  local daemon=$!
  mkfifo "$place/life"
  "$python" Scripts/lib/wire.py "$place/run/earshot/socket" <"$place/life" >"$place/port" &
  local wire=$!
  exec 9>"$place/life"
  local tries=0
  until [ -s "$place/port" ] && [ -S "$place/run/earshot/socket" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 200 ] || break
    sleep 0.1
  done
  # It leaves a folder of its own where it stands.
  (cd "$place" && "$venv/bin/schemathesis" run "$root/Documentation/openapi.json" \
    --url "http://127.0.0.1:$(cat "$place/port")" \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance \
    --exclude-path-regex "$wire_streams" --max-examples "$examples" --request-timeout 20 \
    --generation-database none --no-color) || status=$?
  # It has to have lived through all of that.
  kill -0 "$daemon" || status=1
  exec 9>&-
  kill "$daemon"
  wait "$daemon" "$wire" || true
  [ "$status" -eq 0 ] || { tail -5 "$place/log" >&2; }
  rm -rf "$place"
  return "$status"
}
