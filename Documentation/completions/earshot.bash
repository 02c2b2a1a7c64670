# Completion for bash. Made by 'earshot --generate bash'.
_earshot() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local path='' word i options='' words=''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    case "$path $word" in
      ' captions' | ' catalog' | ' catalog add' | ' catalog create' | ' catalog duplicates' | ' catalog export' | ' catalog info' | ' catalog list' | ' catalog merge' | ' catalog remove' | ' catalog update' | ' catalog verify' | ' completions' | ' consent' | ' consent deny' | ' consent export' | ' consent grant' | ' consent lint' | ' consent list' | ' consent log' | ' consent receipt' | ' consent revoke' | ' consent show' | ' consent status' | ' consent verify' | ' devices' | ' doctor' | ' erase' | ' kiosk' | ' kiosk check' | ' kiosk link' | ' kiosk preview' | ' library' | ' library allow' | ' library erase' | ' library export' | ' library forbid' | ' library list' | ' library remove' | ' listen' | ' match' | ' privacy' | ' signature' | ' signature create' | ' signature info' | ' status' | ' version') path="$path $word" ;;
    esac
  done
  case "$path" in
    '') words='catalog signature match listen captions consent library kiosk devices status privacy erase doctor completions version help --help --version' ;;
    ' catalog') words='create add remove update merge export list info verify duplicates --help' ;;
    ' signature') words='create info --help' ;;
    ' consent') words='status list show grant deny revoke receipt log verify lint export --help' ;;
    ' library') words='list remove erase export allow forbid --help' ;;
    ' kiosk') words='link check preview --help' ;;
    ' catalog create') options='--output --items --keep-duplicates --drop-copies --without-index --no-passages --strict --dry-run --jobs --json --help' ;;
    ' catalog add') options='--items --keep-duplicates --drop-copies --without-index --no-passages --strict --dry-run --jobs --json --help' ;;
    ' catalog remove') options='--json --help' ;;
    ' catalog update') options='--items --json --help' ;;
    ' catalog merge') options='--output --keep-duplicates --without-index --no-passages --json --help' ;;
    ' catalog export') options='--format --help' ;;
    ' catalog list') options='--json --help' ;;
    ' catalog info') options='--json --help' ;;
    ' catalog verify') options='--json --help' ;;
    ' catalog duplicates') options='--json --help' ;;
    ' signature create') options='--output --id --title --json --help' ;;
    ' signature info') options='--json --help' ;;
    ' match') options='--catalog --json --earliest --follow --top --limit --speeds --explain --strict --raw --rate --channels --format --help' ;;
    ' listen') options='--catalog --purpose --limit --device --ask --save --json --socket --help' ;;
    ' captions') options='--catalog --item --at --speed --language --descriptions --encoding --timestamp-map --check --large --json --socket --help' ;;
    ' consent status') options='--json --socket --help' ;;
    ' consent list') options='--json --socket --help' ;;
    ' consent show') options='--json --socket --help' ;;
    ' consent grant') options='--executable --purpose --limit --device --once --socket --help' ;;
    ' consent deny') options='--executable --purpose --limit --device --socket --help' ;;
    ' consent revoke') options='--all --socket --help' ;;
    ' consent receipt') options='--socket --help' ;;
    ' consent log') options='--json --socket --help' ;;
    ' consent verify') options='--json --socket --help' ;;
    ' consent lint') options='--help' ;;
    ' consent export') options='--socket --help' ;;
    ' library list') options='--json --socket --help' ;;
    ' library remove') options='--socket --help' ;;
    ' library erase') options='--requester --socket --help' ;;
    ' library export') options='--socket --help' ;;
    ' library allow') options='--executable --socket --help' ;;
    ' library forbid') options='--executable --socket --help' ;;
    ' kiosk link') options='--json --socket --help' ;;
    ' kiosk check') options='--configuration --system --help' ;;
    ' kiosk preview') options='--output --configuration --language --size --text --help' ;;
    ' devices') options='--json --socket --help' ;;
    ' status') options='--json --socket --help' ;;
    ' privacy') options='--json --socket --help' ;;
    ' erase') options='--all --export --socket --help' ;;
    ' doctor') options='--probe --json --socket --help' ;;
    ' completions') options='--help' ;;
    ' version') options='--help' ;;
  esac
  case "$path $previous" in
    ' catalog create --output') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' catalog create --items') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' catalog create --jobs') COMPREPLY=(); return ;;
    ' catalog add --items') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' catalog add --jobs') COMPREPLY=(); return ;;
    ' catalog update --items') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' catalog merge --output') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' catalog export --format') COMPREPLY=($(compgen -W 'csv json' -- "$current")); return ;;
    ' signature create --output') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' signature create --id') COMPREPLY=(); return ;;
    ' signature create --title') COMPREPLY=(); return ;;
    ' match --catalog') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' match --top') COMPREPLY=(); return ;;
    ' match --limit') COMPREPLY=(); return ;;
    ' match --speeds') COMPREPLY=($(compgen -W 'all 1' -- "$current")); return ;;
    ' match --rate') COMPREPLY=(); return ;;
    ' match --channels') COMPREPLY=(); return ;;
    ' match --format') COMPREPLY=($(compgen -W 'u8 s8 s16 s16be s24 s32 f32 f64 ulaw alaw' -- "$current")); return ;;
    ' listen --catalog') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' listen --purpose') COMPREPLY=(); return ;;
    ' listen --limit') COMPREPLY=(); return ;;
    ' listen --device') COMPREPLY=(); return ;;
    ' listen --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' captions --catalog') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' captions --item') COMPREPLY=(); return ;;
    ' captions --at') COMPREPLY=(); return ;;
    ' captions --speed') COMPREPLY=(); return ;;
    ' captions --language') COMPREPLY=(); return ;;
    ' captions --encoding') COMPREPLY=(); return ;;
    ' captions --check') COMPREPLY=(); return ;;
    ' captions --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' consent status --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' consent list --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' consent show --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' consent grant --executable') COMPREPLY=(); return ;;
    ' consent grant --purpose') COMPREPLY=(); return ;;
    ' consent grant --limit') COMPREPLY=(); return ;;
    ' consent grant --device') COMPREPLY=(); return ;;
    ' consent grant --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' consent deny --executable') COMPREPLY=(); return ;;
    ' consent deny --purpose') COMPREPLY=(); return ;;
    ' consent deny --limit') COMPREPLY=(); return ;;
    ' consent deny --device') COMPREPLY=(); return ;;
    ' consent deny --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' consent revoke --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' consent receipt --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' consent log --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' consent verify --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' consent export --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' library list --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' library remove --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' library erase --requester') COMPREPLY=(); return ;;
    ' library erase --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' library export --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' library allow --executable') COMPREPLY=(); return ;;
    ' library allow --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' library forbid --executable') COMPREPLY=(); return ;;
    ' library forbid --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' kiosk link --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' kiosk check --configuration') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' kiosk preview --output') COMPREPLY=(); return ;;
    ' kiosk preview --configuration') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' kiosk preview --language') COMPREPLY=($(compgen -W 'en ru zh-Hans ko' -- "$current")); return ;;
    ' kiosk preview --size') COMPREPLY=(); return ;;
    ' kiosk preview --text') COMPREPLY=($(compgen -W '100 125 150 175 200' -- "$current")); return ;;
    ' devices --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' status --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' privacy --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' erase --export') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' erase --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ' doctor --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
  esac
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _earshot earshot
