#!/bin/sh
# The switcher. tmux prints one row per window from the window's options, and fzf shows them. Node is not needed.
# usage: switcher.sh <tmux socket> <missions> <fzf> <agenc command…>
socket=$1 missions=$2 fzf=$3
shift 3
SHELL=/bin/sh FZF_DEFAULT_OPTS='' FZF_DEFAULT_OPTS_FILE=''
preview=${0%/*}/switcher-preview.sh
# The preview shows the changes of a mission while this file has any content. Node and the script show them.
mode=$(mktemp) node=$1 agenc=$2
export SHELL FZF_DEFAULT_OPTS FZF_DEFAULT_OPTS_FILE socket missions preview mode node agenc
trap 'rm -f "$mode"' EXIT
trap exit HUP TERM
tab=$(printf '\t')
# Older versions of fzf do not know NO_COLOR.
colour=${NO_COLOR:+--color=bw}
toggle='if [ -s "$mode" ]; then : >"$mode"; else echo changes >"$mode"; fi'
case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
  '' | *[Uu][Tt][Ff]8* | *[Uu][Tt][Ff]-8*) ascii='' more=… ;;
  *) ascii=--no-unicode more=. ;;
esac

# The space for the switcher, and the size of the terminal around it: a popup is told which part of the terminal it has.
size=$(stty size 2>/dev/null </dev/tty)
lines=${size% *} columns=${size#* }
[ "${columns:-0}" -gt 0 ] || lines=36 columns=100
part=${AGENC_POPUP:-100x100}
around() { [ "$2" -eq 100 ] && echo "$1" || echo $(((($1 + 2) * 100 + $2 - 1) / $2)); }
layout=down,55%,border-top list=$columns
[ "$(around "$columns" "${part%x*}")" -ge 120 ] && layout=right,50%,border-left list=$((columns / 2))
[ "$(around "$lines" "${part#*x}")" -lt 30 ] && layout=$layout,hidden

# Sign, age, id and fzf's margins leave the rest of the list to name and repo. A narrow list has no ids.
id='#{@agenc_short_id}' room=$((list - 21))
[ $room -lt 26 ] && id='' room=$((list - 11))
[ $room -lt 10 ] && room=10
# Changes are shown only in a wide list.
changes=''
[ $room -ge 54 ] && changes='#{=13:@agenc_changes}' room=$((room - 14))
name=$((room * 55 / 100))
[ $name -gt 42 ] && name=42
repo=$((room - name))
[ $repo -gt 42 ] && repo=42

# Fields: session and window, mission, state, since, then the visible columns. Only ids ever become arguments.
rows=$({ tmux -u -S "$socket" list-windows -t '=agenc:' -F "#{session_id}:#{window_id}${tab}#{@agenc_mission_uuid}${tab}#{?@agenc_done,#{s/^idle\$/done/:@agenc_state},#{@agenc_state}}${tab}#{@agenc_since}${tab}#{p$name:#{=/$((name - 2))/$more:#{?@agenc_name,#{@agenc_name},#{b:@agenc_repo}}}}${tab}#{p$repo:#{=/$((repo - 2))/$more:@agenc_repo}}${tab}$id${tab}$changes" || echo unknown; } |
  awk -F "$tab" -v now="$(date +%s)" -v ascii="$ascii" -v colour="$colour" '
    # The signs of the status line. The colours are those of the lists, because a popup has the colours of the terminal.
    function look(state, sign, plain, code) { signs[state] = ascii == "" ? sign : plain; codes[state] = code }
    function painted(code, text) { return colour != "" || code == "" ? text : "\033[" code "m" text "\033[0m" }
    BEGIN {
      look("waiting", "?", "?", "1;33")
      look("crashed", "✗", "x", "31")
      look("done", "✓", "v", "35")
      look("busy", "●", "@", "32")
      look("idle", "·", ".", "36")
      look("asleep", "z", "z", "2")
    }
    $0 == "unknown" { print; next }
    $2 == "" { next }
    {
      s = now - $4; if ($4 == "" || s < 0) s = 0
      age = s < 60 ? s "s" : s < 3600 ? int(s / 60) "m" : s < 86400 ? int(s / 3600) "h" : int(s / 86400) "d"
      sign = $3 in signs ? signs[$3] : " "
      # Longest wait first, then the most recent.
      rank = $3 == "waiting" ? 0 : $3 == "done" ? 1 : 2
      printf "%s\t%s\t%s\t%s\t%s\t%s%s%4s  %s  %s\n", rank, rank ? s : -s, $1, $2, $3, painted(codes[$3], sign " " $5), $6, age, painted("2", $7), $8
    }' | sort -t "$tab" -k1,1n -k2,2n -k3,3r | cut -f3-)

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

# fzf cuts a header that is wider than its list.
header='Switch to a mission' line=''
for hint in 'enter: go there' 'ctrl-x: stop' 'ctrl-f: fork' 'ctrl-r: stopped' 'ctrl-v: preview' 'ctrl-d: changes'; do
  if [ -n "$line" ] && [ $((${#line} + 2 + ${#hint} + 4)) -le "$list" ]; then line="$line  $hint"
  else
    header="$header${line:+
$line}" line=$hint
  fi
done
header="$header
$line"

picked=$(printf '%s\n' "$rows" | "$fzf" $colour $ascii --ansi --delimiter="$tab" --with-nth=4.. --no-multi --reverse --no-sort \
  --info=inline --prompt='> ' --header-first --header="$header" --expect=ctrl-x,ctrl-f,ctrl-r \
  --preview='exec /bin/sh "$preview" "$socket" "$missions" {1} {2} {3}' \
  --preview-window="$layout" --bind=ctrl-v:toggle-preview --bind="ctrl-d:execute-silent($toggle)+refresh-preview")
code=$?
rm -f "$mode"
case $code in
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
