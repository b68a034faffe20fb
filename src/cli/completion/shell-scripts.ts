import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import type { Context } from '../../context.ts'
import { AgencError, usageError } from '../../errors.ts'
import { writeFileAtomically } from '../../io/files.ts'
import { quoteForShell } from '../../io/shell-quote.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

export function isShell(word: string): word is Shell {
  return (shells as readonly string[]).includes(word)
}

/** The user's shell as `$SHELL` names it, or null if there is no completion for it. */
export function shellOf(env: NodeJS.ProcessEnv): Shell | null {
  const name = basename(env.SHELL ?? '')
  return isShell(name) ? name : null
}

export function shellNamed(word: string): Shell {
  if (isShell(word)) return word
  throw usageError(`there is no completion for ${JSON.stringify(word)}`, `Use one of ${shells.join(', ')}.`)
}

export interface Installation {
  shell: Shell
  path: string
  /** A sentence for the user about the next step, or about when completion starts to work. */
  next: string
  isInstalled: boolean
}

/** Where this shell looks for a user's completions. Writes nothing. */
export function installationFor(context: Context, shell: Shell): Installation {
  const { path, next } = locationFor(context, shell)
  return { shell, path, next, isInstalled: textAt(path) === scripts[shell] }
}

export function install({ path, shell }: Installation): void {
  try {
    writeFileAtomically(path, scripts[shell])
  } catch (error) {
    throw new AgencError(
      `cannot write ${path}: ${(error as Error).message}`,
      `Save the output of 'agenc completion ${shell}' where your shell reads completions.`,
    )
  }
}

/** Returns null if the file cannot be read. */
function textAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function locationFor({ env, exec }: Context, shell: Shell): { path: string; next: string } {
  const home = env.HOME || homedir()
  const data = env.XDG_DATA_HOME || join(home, '.local', 'share')
  switch (shell) {
    case 'bash':
      return {
        path: join(env.BASH_COMPLETION_USER_DIR || join(data, 'bash-completion'), 'completions', 'agenc'),
        next: 'Open a new shell to use it. It needs the package bash-completion.',
      }
    case 'fish':
      return {
        path: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'fish', 'completions', 'agenc.fish'),
        next: 'It works immediately, even in fish shells that are already open.',
      }
    case 'zsh': {
      const own = directoryInHome(exec.capture('zsh', ['-c', 'print -rl -- $fpath'], { env }).stdout, home)
      const directory = own ?? join(data, 'zsh', 'site-functions')
      const line = `fpath=(${quoteForShell(directory)} $fpath)`
      return {
        path: join(directory, '_agenc'),
        next: own ? 'Open a new shell to use it.' : `Add this to ~/.zshrc, before compinit runs: ${line}`,
      }
    }
  }
}

/** A directory of the user's own that zsh already searches. */
function directoryInHome(listed: string, home: string): string | undefined {
  return listed.split('\n').find(directory => directory.startsWith(`${home}/`))
}

/** Each script asks agenc at every Tab, so an installed script never falls behind the program. */
const ask = 'NODE_EXTRA_CA_CERTS= command agenc _complete --'

/** bash gets the descriptions only when it lists candidates; otherwise it would insert them into the line. */
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
  local i isListing
  case \${COMP_TYPE:-9} in 63 | 33 | 64) isListing=1 ;; esac
  for i in "\${!values[@]}"; do
    value=\${values[i]}
    if [ -n "$isListing" ] && [ "\${#values[@]}" -gt 1 ]; then
      if [ -n "\${abouts[i]}" ]; then
        printf -v value '%-*s  (%s)' "$width" "$value" "\${abouts[i]}"
        value=\${value:0:columns-1}
      fi
    else
      # Inside an open quote, readline quotes the word itself.
      case \${COMP_WORDS[COMP_CWORD]} in [\\"\\']*) ;; *) printf -v value %q "$value" ;; esac
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
