#!/bin/sh
# Shows what a mission has changed in the user's pager. `t` switches between everything and the latest turn.
# usage: diff-popup.sh <mission> <agenc command…>
mission=$1
shift
# The current directory may be the mission's, whose git settings are not the user's.
cd / || exit
unset GIT_DIR
pager=${GIT_PAGER:-$(git config --get pager.diff)}
case $pager in '' | true | false | yes | no | on | off | 0 | 1) pager=$(git var GIT_PAGER) ;; esac

files=$(mktemp -d) || exit
trap 'rm -rf "$files"' EXIT
trap exit HUP TERM
# Ctrl-C is for the pager.
trap : INT
AGENC_PAGER_END=$files/end
GIT_PAGER='eval "$AGENC_PAGER"; echo $? >"$AGENC_PAGER_END"'
export AGENC_PAGER AGENC_PAGER_END GIT_PAGER

# less can end with an exit code that tells which key was pressed. Older versions, and other pagers, are asked about later.
# On Debian, git's own default is `pager`, which is less unless the user has chosen another program.
case ${pager%% *} in
  less | */less | pager | */pager) version=$("${pager%% *}" --version 2>/dev/null | sed -n '1s/^less \([0-9]*\).*/\1/p') ;;
  *) version=0 ;;
esac
hasKeys=
if [ "${version:-0}" -ge 582 ]; then
  hasKeys=1 LESSKEYIN_SYSTEM=$files/keys
  export LESSKEYIN_SYSTEM
  printf '#command\nt quit t\n' >"$LESSKEYIN_SYSTEM"
fi
codeOfT=116

readKey() {
  saved=$(stty -g)
  stty -icanon -echo min 1 time 0
  key=$(dd bs=1 count=1 2>/dev/null)
  stty "$saved"
}

part='' shown='All changes' other='the last turn'
while :; do
  # A pager that ends at once, because everything fits, would close the popup.
  AGENC_PAGER=$pager${hasKeys:+" -+F -+E -+e -+M -+m '-Ps$shown   t\\: $other   q\\: close'"}
  : >"$AGENC_PAGER_END"
  "$@" mission diff "$mission" $part
  end=$(cat "$AGENC_PAGER_END")
  if [ -n "$hasKeys" ] && [ -n "$end" ]; then
    [ "$end" = $codeOfT ] || exit 0
  else
    printf '\nt: %s   any other key: close ' "$other"
    readKey
    [ "$key" = t ] || exit 0
  fi
  printf '\033[H\033[2J'
  case $part in
    '') part=--last shown='The last turn' other='all changes' ;;
    *) part='' shown='All changes' other='the last turn' ;;
  esac
done
