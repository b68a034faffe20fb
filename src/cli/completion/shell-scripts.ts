import type { Shell } from './shells.ts'

/** Each asks agenc itself at every Tab, so that no script is ever older than the program. */
const ask = 'NODE_EXTRA_CA_CERTS= command agenc _complete --'

/** Descriptions are for looking only: shown when bash lists, never when it inserts. */
const bash = `# bash completion for agenc
_agenc() {
  local line value about columns=\${COLUMNS:-80} width=0
  local -a values=() abouts=()
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = :dirs ]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -d -- "$2")
      return
    fi
    value=\${line%%$'\\t'*}
    about=\${line#*$'\\t'}
    values+=("$value")
    abouts+=("$about")
    [ "\${#value}" -gt "$width" ] && width=\${#value}
  done < <(${ask} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  local i
  for i in "\${!values[@]}"; do
    value=\${values[i]}
    if [ "\${#values[@]}" -gt 1 ] && [ -n "\${abouts[i]}" ]; then
      case \${COMP_TYPE:-9} in
        63 | 33 | 64)
          printf -v value '%-*s  (%s)' "$width" "$value" "\${abouts[i]}"
          value=\${value:0:columns-1}
          ;;
      esac
    fi
    COMPREPLY+=("$value")
  done
}
complete -o nosort -F _agenc agenc 2>/dev/null || complete -F _agenc agenc
`

const zsh = `#compdef agenc
# zsh completion for agenc
_agenc() {
  local line
  local -a found
  for line in "\${(@f)$(${ask} "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -z $line ]] && continue
    if [[ $line == :dirs ]]; then
      _files -/
      return
    fi
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe -V agenc found
}
if [[ $funcstack[1] == _agenc ]]; then
  _agenc "$@"
else
  compdef _agenc agenc
fi
`

const fish = `# fish completion for agenc
function __agenc_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (${ask} $words[2..-1] "$current" 2>/dev/null)
    if test "$lines" = :dirs
        __fish_complete_directories "$current" ''
    else
        printf '%s\\n' $lines
    end
end
complete --command agenc --no-files --keep-order --arguments '(__agenc_complete)'
`

export const scripts: Record<Shell, string> = { bash, zsh, fish }
