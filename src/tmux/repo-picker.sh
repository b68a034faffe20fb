#!/bin/sh
# The picker for a new mission. fzf shows the list of repos that agenc keeps in a file. Node starts after the choice.
# usage: repo-picker.sh <file> <fzf> <agenc command…>
file=$1 fzf=$2
shift 2
[ -r "$file" ] || exec "$@" mission new
SHELL=/bin/sh FZF_DEFAULT_OPTS='' FZF_DEFAULT_OPTS_FILE=''
export SHELL FZF_DEFAULT_OPTS FZF_DEFAULT_OPTS_FILE
tab=$(printf '\t')
# Older versions of fzf do not know NO_COLOR.
colour=${NO_COLOR:+--color=bw}
size=$(stty size 2>/dev/null </dev/tty)
columns=${size#* }
# Fields of the file: repo, its label, its default branch and commit, the time when those were fetched. The last two become
# a column of their own if there is room for it.
rows=$(awk -F "$tab" -v now="$(date +%s)" -v columns="${columns:-80}" -v colour="$colour" '
  {
    repo[NR] = $1; label[NR] = $2; base[NR] = ""
    if (length($2) > width) width = length($2)
    if ($3 == "") next
    s = now - $4; if (s < 0) s = 0
    age = s < 60 ? s " s" : s < 3600 ? int(s / 60) " min" : s < 86400 ? int(s / 3600) " h" : int(s / 86400) " d"
    base[NR] = $3 ", " age " old"
    if (length(base[NR]) > wide) wide = length(base[NR])
  }
  END {
    # The rest is for the pointer and the scroll bar of fzf.
    fits = width + 8 + wide + 4 <= columns
    for (i = 1; i <= NR; i++)
      if (!fits || base[i] == "") print repo[i] "\t" label[i]
      else printf "%s\t%-" width "s\t%s\n", repo[i], label[i], colour != "" ? base[i] : "\033[2m" base[i] "\033[0m"
  }' "$file")
picked=$(printf '%s\n' "$rows" | "$fzf" $colour --ansi --delimiter="$tab" --with-nth=2.. --nth=1 --no-multi --reverse \
  --info=inline --prompt='> ' --expect=ctrl-o --header-first --header='New mission: pick a repo
enter: start  ctrl-o: with prompt, name, mode, model, base, branch')
case $? in
  0) ;;
  1 | 130) exit 130 ;;
  *) exec "$@" mission new ;; # fzf is missing, or too old for one of the options.
esac
key=$(printf '%s\n' "$picked" | sed -n 1p)
row=$(printf '%s\n' "$picked" | sed -n 2p)
case $key in ctrl-o) exec "$@" mission new "${row%%"$tab"*}" --form ;; esac
exec "$@" mission new "${row%%"$tab"*}"
