# Installs the Debian packages that a step needs, and only those that are missing.
# Source it, then call: need_packages NAME…

need_packages() {
  local missing=()
  local name
  for name in "$@"; do
    dpkg-query --show --showformat='${Status}' "$name" 2>/dev/null |
      grep -q '^install ok installed$' || missing+=("$name")
  done
  [ "${#missing[@]}" -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "These packages are missing: ${missing[*]}" >&2
      echo "Installing them takes an administrator, and sudo is not here." >&2
      echo "Next: have an administrator run: apt-get install ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "Installing: ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq \
      --no-install-recommends "${missing[@]}" >/dev/null
}

# What building takes.
build_packages=(
  gcc g++ libc6-dev pkg-config libasound2-dev libcurl4-openssl-dev libfftw3-dev libmicrohttpd-dev
  libqrencode-dev libseccomp-dev libsndfile1-dev libsoxr-dev libsqlite3-dev libssl-dev libsystemd-dev libxxhash-dev
)

# What the room without a microphone takes: a private sound server and something to play.
sound_packages=(pulseaudio pulseaudio-utils libasound2-plugins alsa-utils sox libsox-fmt-base)

need_swift() {
  if ! command -v swift >/dev/null && [ -x /opt/swift/usr/bin/swift ]; then
    PATH=$PATH:/opt/swift/usr/bin
  fi
  if ! command -v swift >/dev/null; then
    echo "Swift 6.2 or newer is not installed, so nothing can be built." >&2
    echo "Next: install it as swift.org describes for Debian 12, then run this again." >&2
    return 1
  fi
}

# What the page's tests and `earshot kiosk preview` take: a browser, and fonts for the four languages.
page_packages=(
  chromium ffmpeg fonts-ebgaramond fonts-inter fonts-noto-cjk fonts-noto-core python3 python3-numpy
  python3-venv
)

# What the tests take besides.
test_packages=(
  binutils dbus dconf-gsettings-backend espeak-ng ffmpeg fonts-dejavu-core gsettings-desktop-schemas jq
  libglib2.0-bin procps python3 python3-dbus python3-gi python3-numpy python3-venv strace systemd tmux util-linux
  xdg-desktop-portal-gtk xdotool xvfb zenity
)
