# The parts of Scripts/demo. Source after packages.sh and room.sh.

demo_packages=(python3 python3-numpy python3-matplotlib espeak-ng ffmpeg)

step() { printf '\n\033[1m== %s\033[0m\n' "$*" >&2; }
say() { printf '%s\n' "$*" >&2; }

# Whether a person is at the controlling terminal: it can be opened, and we are its foreground group.
demo_has_person() {
  [ -z "${CI:-}" ] && (: < /dev/tty) 2>/dev/null && [ -t 2 ] &&
    [ "$(ps -o tpgid= -p $$ | tr -d ' ')" = "$(ps -o pgid= -p $$ | tr -d ' ')" ]
}

# Ten seconds from somewhere in the sound, as a phone across a noisy room would hear it.
demo_damage() {
  local sound=$1 out=$2 seconds start
  ffmpeg -nostdin -v error -y -i "file:$sound" -ac 1 -ar 44100 "$demo/whole.wav"
  seconds=$(soxi -D "$demo/whole.wav")
  start=$(awk -v s="$seconds" -v r="$RANDOM" \
    'BEGIN { room = s - 22; printf("%.2f", (room > 0 ? room * r / 32768 : 0)) }')
  sox "$demo/whole.wav" "$demo/cut.wav" trim "$start" 20 highpass 200 lowpass 6000 \
    reverb 25 gain -n -8
  sox "$demo/cut.wav" -p synth pinknoise vol 0.05 | sox -m "$demo/cut.wav" - "$out"
  rm -f "$demo/whole.wav" "$demo/cut.wav"
  say "The excerpt begins at $start s and is band-limited, reverberant and noisy."
}

# A microphone that ALSA lists is used as it is; otherwise the room is a private sound server.
demo_room() {
  if demo_has_person && [ -d /proc/asound ] && arecord -l 2>/dev/null | grep -q '^card'; then
    say "A microphone is here: the excerpt is played through your loudspeakers."
    source_name=default
    private_room=false
  else
    say "There is no microphone here: a private sound server is the room."
    room_open "$demo/room"
    source_name=earshot_room
    private_room=true
  fi
}

# The daemon of this demo: its own state, its own socket, nothing of yours is touched.
demo_daemon() {
  mkdir -p "$demo/config/earshot" "$demo/state" "$demo/runtime"
  chmod 700 "$demo"/{config,state,runtime}
  cat > "$demo/config/earshot/earshot.json" <<EOF
{ "source": "$source_name", "sources": ["$source_name"],
  "controller": { "name": "The Earshot demo", "contact": "you, on this machine" } }
EOF
  local options=()
  if ! demo_has_person; then
    if [ "$(id -u)" -ne 0 ] || [ -e /etc/earshot/administrator.json ]; then
      say "Nobody is at a terminal, and granting by command takes an administrator's file of root's."
      say "The demo would wait for an answer that can't come, so it ends here."
      say "Next: run it at a terminal, or as root on a machine without /etc/earshot/administrator.json."
      exit 6
    fi
    printf '{ "grantByCommand": true, "listenUnseen": true }\n' > "$demo/administrator.json"
    chmod 644 "$demo/administrator.json"
    options+=(--administrator-file "$demo/administrator.json")
  fi
  local run=(exec env)
  [ "$private_room" = true ] && run=(room_exec)
  # The shell becomes the daemon, so that ending this process ends the daemon and not a shell around it.
  (
    export XDG_CONFIG_HOME="$demo/config" XDG_STATE_HOME="$demo/state"
    "${run[@]}" "$programs/earshotd" --socket "$demo/socket" "${options[@]}"
  ) >"$demo/daemon.log" 2>&1 &
  daemon=$!
  local tries=0
  until "$earshot" status --socket "$demo/socket" >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ "$tries" -gt 100 ] || ! kill -0 "$daemon" 2>/dev/null; then
      say "The daemon did not start. It said:"
      cat "$demo/daemon.log" >&2
      exit 2
    fi
    sleep 0.1
  done
}

# Plays the excerpt again and again, since a person takes the time they need to answer.
demo_play() {
  (
    trap 'kill "$now" 2>/dev/null; exit' TERM
    while true; do
      if [ "$private_room" = true ]; then
        room_play "$1"
        now=$room_started
      else
        aplay -q "$1" &
        now=$!
      fi
      wait "$now"
    done
  ) &
  player=$!
}

demo_prove_closed() {
  if [ "$private_room" = true ]; then
    local streams
    streams=$(room_streams)
    if [ -n "$streams" ]; then
      say "A capture stream is still listed: $streams"
      exit 2
    fi
    say "pactl list source-outputs: none. The microphone is closed."
  else
    local open
    open=$(grep -l RUNNING /proc/asound/card*/pcm*c/sub*/status 2>/dev/null || true)
    say "Capture devices that the kernel says are running: ${open:-none}"
  fi
}

demo_end() {
  [ -z "${player:-}" ] || kill "$player" 2>/dev/null || true
  if [ -n "${daemon:-}" ]; then
    kill "$daemon" 2>/dev/null || true
    wait "$daemon" 2>/dev/null || true
  fi
  room_close
  [ -n "${demo:-}" ] && rm -rf "$demo"
  return 0
}
