#!/bin/sh
# The shell of a pane or window that the user opens in the agenc session. If that was beside a mission, the shell starts in
# the mission's directory, unless another one was asked for. AGENC_HERE names the mission, AGENC_PORT its first port.

mission_in() { # a tmux target
  tmux display-message -p -t "$1" '#{@agenc_mission_uuid}' 2>/dev/null
}

facts=$(tmux display-message -p -t "$TMUX_PANE" '#{window_active} #{@agenc_mission_uuid} #{session_path}' 2>/dev/null)
is_active=${facts%% *}
facts=${facts#* }
mission=${facts%% *}
session_path=${facts#* }
if [ -z "$mission" ]; then
  # A window of its own: it was opened from the window before, or behind the current one.
  if [ "$is_active" = 1 ]; then mission=$(mission_in '=agenc:{last}'); else mission=$(mission_in '=agenc:'); fi
fi
case $mission in
'' | *[!0-9a-f-]*) ;;
*)
  export AGENC_HERE="$mission"
  port=
  directory="$AGENC_DIRPATH/missions/$mission/agent"
  place="$AGENC_DIRPATH/missions/$mission/shell-place"
  if [ -r "$place" ]; then { IFS= read -r port && IFS= read -r directory; } <"$place"; fi
  case $port in
  '' | *[!0-9]*) ;;
  *)
    export AGENC_PORT="$port"
    for n in 0 1 2 3 4 5 6 7 8 9; do export "AGENC_PORT_$n=$((port + n))"; done
    ;;
  esac
  if [ "$PWD" = "$session_path" ]; then cd "$directory" 2>/dev/null; fi
  ;;
esac

own=$(tmux show-options -gqv default-command 2>/dev/null)
if [ -n "$own" ]; then exec "${SHELL:-/bin/sh}" -c "$own"; fi
exec "${SHELL:-/bin/sh}" -l
