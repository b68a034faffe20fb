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
row=$("$fzf" $colour --delimiter="$tab" --with-nth=2.. --no-multi --reverse --prompt='repo ' <"$file")
case $? in
  0) exec "$@" mission new "${row%%"$tab"*}" ;;
  1 | 130) exit 130 ;;
esac
# fzf is missing, or too old for one of the options.
exec "$@" mission new
