#!/bin/sh
# The switcher. tmux prints one row per window from the window's options, and fzf shows them. Node is not needed.
# usage: switcher.sh <tmux socket> <fzf> <agenc command…>
socket=$1 fzf=$2
shift 2
SHELL=/bin/sh FZF_DEFAULT_OPTS='' FZF_DEFAULT_OPTS_FILE=''
export SHELL FZF_DEFAULT_OPTS FZF_DEFAULT_OPTS_FILE
tab=$(printf '\t')
# Older versions of fzf do not know NO_COLOR.
colour=${NO_COLOR:+--color=bw}

# The columns for repo and name share the width that id, state and time leave.
columns=$(stty size 2>/dev/null </dev/tty | cut -d ' ' -f 2)
room=$((${columns:-100} - 42))
[ $room -lt 14 ] && room=14
[ $room -gt 60 ] && room=60
repo=$((room * 45 / 100))
[ $repo -lt 9 ] && repo=9
name=$((room - repo))

# Fields: rank, session and window, mission, since, then the visible columns. Only ids ever become arguments.
rows=$({ tmux -u -S "$socket" list-windows -t '=agenc:' -F "#{?#{==:#{@agenc_state},waiting},0,1}${tab}#{session_id}:#{window_id}${tab}#{@agenc_mission_uuid}${tab}#{@agenc_since}${tab}#{p9:@agenc_short_id}#{p$repo:#{=/$((repo - 2))/…:@agenc_repo}}#{p$name:#{=/$((name - 2))/…:@agenc_name}}${tab}#{@agenc_state}#{?@agenc_waiting_for,: #{@agenc_waiting_for},}" || echo unknown; } |
  awk -F "$tab" -v now="$(date +%s)" '
    $0 == "unknown" { print; next }
    $3 == "" { next }
    {
      s = now - $4; if ($4 == "" || s < 0) s = 0
      age = s < 60 ? s "s" : s < 3600 ? int(s / 60) "m" : s < 86400 ? int(s / 3600) "h" : int(s / 86400) "d"
      printf "%s\t%s\t%s\t%s\t%s%-20s%4s\n", $1, $4, $2, $3, $5, $6, age
    }' | sort -t "$tab" -k1,1n -k2,2n | cut -f3-)

case $rows in
  unknown)
    echo 'agenc: tmux does not answer, so its windows are unknown' >&2
    echo "Check that 'tmux ls' works." >&2
    exit 1
    ;;
  '')
    echo 'No mission has a window. Press Enter.'
    [ -t 0 ] && read -r _
    exit 0
    ;;
esac

picked=$(printf '%s\n' "$rows" | "$fzf" $colour --delimiter="$tab" --with-nth=3.. --no-multi --reverse --no-sort \
  --prompt='mission ' --expect=ctrl-x,ctrl-f,ctrl-r \
  --header='enter: go there  ctrl-x: stop  ctrl-f: fork  ctrl-r: stopped' \
  --preview="while :; do printf '\033[2J\033[H'; tmux -u -S '$socket' capture-pane -ep -t {1} | tail -n \${FZF_PREVIEW_LINES:-20}; sleep 0.3; done" \
  --preview-window='down,60%')
case $? in
  0) ;;
  1 | 130) exit 130 ;;
  *) exec "$@" tmux switch --plain ;; # fzf is missing, or too old for one of the options.
esac

key=$(printf '%s\n' "$picked" | sed -n 1p)
row=$(printf '%s\n' "$picked" | sed -n 2p)
window=${row%%"$tab"*}
rest=${row#*"$tab"}
mission=${rest%%"$tab"*}
case $key in
  ctrl-x) exec "$@" mission stop "$mission" ;;
  ctrl-f) exec "$@" mission fork "$mission" ;;
  ctrl-r) exec "$@" mission resume ;;
esac
# Inside the session, selecting the window is enough. $TMUX holds socket, server and session number. AGENC_TMUX proves
# nothing, because it leaks into other programs.
own=${TMUX%,*}
[ "${own%,*}:\$${TMUX##*,}" = "$socket:${window%:*}" ] && exec tmux -u -S "$socket" select-window -t "$window"
exec "$@" mission resume "$mission"
