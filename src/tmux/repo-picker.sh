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
picked=$("$fzf" $colour --delimiter="$tab" --with-nth=2.. --no-multi --reverse --info=inline --prompt='> ' --expect=ctrl-o \
  --header-first --header='New mission: pick a repo
enter: start  ctrl-o: with prompt, name, mode, model' <"$file")
case $? in
  0) ;;
  1 | 130) exit 130 ;;
  *) exec "$@" mission new ;; # fzf is missing, or too old for one of the options.
esac
key=$(printf '%s\n' "$picked" | sed -n 1p)
row=$(printf '%s\n' "$picked" | sed -n 2p)
case $key in ctrl-o) exec "$@" mission new "${row%%"$tab"*}" --form ;; esac
exec "$@" mission new "${row%%"$tab"*}"
