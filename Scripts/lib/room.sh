# A room without a microphone: a private sound server with one sink, whose monitor is the 'microphone'.
# Source it, then: room_open FOLDER; room_play FILE (it goes on in the background, as
# room_started); room_streams; room_close.

room_open() {
  room_folder=$1
  mkdir -p "$room_folder" && chmod 700 "$room_folder"
  cat > "$room_folder/default.pa" <<EOF
load-module module-native-protocol-unix socket=$room_folder/native auth-anonymous=1
load-module module-null-sink sink_name=room rate=48000 channels=2
set-default-sink room
set-default-source room.monitor
EOF
  # The source has a name of its own, so that the consent covers it and nothing else.
  cat > "$room_folder/asound.conf" <<EOF
</usr/share/alsa/alsa.conf>
pcm.earshot_room {
  type pulse
  server "unix:$room_folder/native"
  device "room.monitor"
  hint { show on description "Earshot's demo room" }
}
EOF
  rm -f "$room_folder/pid" "$room_folder/native"
  room_start pulseaudio -n -F "$room_folder/default.pa" --daemonize=no --exit-idle-time=-1 \
    --log-target="file:$room_folder/pulseaudio.log"
  room_server=$room_started
  local tries=0
  until room_run pactl info >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ "$tries" -gt 100 ]; then
      echo "The private sound server did not start; its log is $room_folder/pulseaudio.log" >&2
      return 1
    fi
    sleep 0.1
  done
  # Without a player that keeps the sink's clock going, the first sample may come two seconds late.
  room_start pacat --device=room --latency-msec=20 --rate=48000 --channels=2 --format=s16le /dev/zero
  room_clock=$room_started
  sleep 2.5
}

# Runs a command that talks to the private sound server only.
room_run() { (room_exec "$@"); }

# Starts one in the background; its process, and not a shell around it, is room_started.
room_start() {
  (room_exec "$@") >/dev/null 2>&1 &
  room_started=$!
}

# Turns this shell into the command.
room_exec() {
  exec env XDG_RUNTIME_DIR="$room_folder" PULSE_RUNTIME_PATH="$room_folder" HOME="$room_folder" \
    PULSE_SERVER="unix:$room_folder/native" ALSA_CONFIG_PATH="$room_folder/asound.conf" "$@"
}

room_play() {
  room_start paplay --device=room --latency-msec=20 "$1"
}

# The capture streams that the sound server lists: one line each, none while the microphone is closed.
room_streams() {
  room_run pactl list short source-outputs
}

room_close() {
  [ -z "${room_clock:-}" ] || kill "$room_clock" 2>/dev/null || true
  [ -z "${room_server:-}" ] || kill "$room_server" 2>/dev/null || true
  room_clock= room_server=
  return 0
}
