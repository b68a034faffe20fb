import { shellWord } from '../../io/shell-quote.ts'
import { literal, type TmuxCommand } from '../tmux.ts'
import { line } from '../tmux-script.ts'

/** Node parses the certificates at every start, which more than doubles it. */
const quickStart = 'unset NODE_EXTRA_CA_CERTS'

/** Popup arguments reach no shell and are not expanded by tmux: the script is constant, the rest is data. */
const popupScript = [
  quickStart,
  '"$@"',
  'code=$?',
  'case $code in 0 | 130) exit 0 ;; esac',
  'stty sane 2>/dev/null',
  'printf "\\nPress Enter to close this. "',
  'read -r _',
].join('; ')

/** A program on the terminal. Done or cancelled, the popup closes; what failed can be read. */
export function popup(program: readonly string[]): TmuxCommand {
  return ['display-popup', '-E', '-w', '80%', '-h', '60%', '/bin/sh', '-c', popupScript, 'agenc', ...program]
}

/**
 * Anything that `run-shell` prints, and a failure too, would cover the pane: words on stderr become a message.
 * tmux 3.2 does not take a client for it.
 */
const quietScript = [
  'text=$("$@" 2>&1 >/dev/null </dev/null | sed "s/[$hash%]/&&/g" | tr "\\n" " ")',
  '[ -n "$text" ] || exit 0',
  'set -- -d 5000 -- "$text"',
  '{ "$tmux" display-message -c "$client" "$@" || "$tmux" display-message "$@"; } >/dev/null 2>&1',
  'exit 0',
].join('; ')

/** A word that tmux fills in when the key is pressed; only for values without meaning to a shell or to tmux. */
export interface Format {
  format: string
}

export interface QuietOptions {
  /** For a program that hands its environment on to what it starts. */
  keepsEnvironment?: boolean
}

/**
 * A program without a terminal. `run-shell` knows only shell text, and tmux expands `#` in it, some versions
 * twice: every word is quoted for sh, and the only `#` are those of our own formats.
 */
export function quietly(
  tmux: string,
  program: readonly (string | Format)[],
  { keepsEnvironment = false }: QuietOptions = {},
): TmuxCommand {
  const words = program.map(word => (typeof word === 'string' ? runShellWord(word) : word.format))
  const names = `hash=$(printf "\\043"); client=#{q:client_name}; tmux=${runShellWord(tmux)}`
  const script = keepsEnvironment ? quietScript : `${quickStart}; ${quietScript}`
  return ['run-shell', '-b', `${names}; set -- ${words.join(' ')}; ${script}`]
}

function runShellWord(word: string): string {
  return shellWord(word).replaceAll('#', `'"$hash"'`)
}

export const missionInView: Format = { format: '#{@agenc_mission_uuid}' }

const hex = '[0-9a-f]+'
/** Anybody may set a window's option: nothing but a UUID gets past this. */
const hasMission = `#{m/r:^${[hex, hex, hex, hex, hex].join('-')}$,${missionInView.format}}`

export function withMission(command: TmuxCommand): TmuxCommand {
  return [
    'if-shell',
    '-F',
    hasMission,
    line(command),
    line(['display-message', 'No mission in this window.']),
  ]
}

/** Formats are filled in when the question is asked: by the time of the answer another mission may be in view. */
export function confirmed(question: string, command: TmuxCommand): TmuxCommand {
  const prompt = `${question} #{=8:@agenc_mission_uuid}? (y/n)`
  return ['run-shell', '-C', line(['confirm-before', '-p', prompt, line(command)])]
}

export interface MenuEntry {
  name: string
  key: string
  command: TmuxCommand
}

/** tmux expands an entry's command when it draws the menu. */
export function menu(title: string, entries: readonly MenuEntry[]): TmuxCommand {
  const items = entries.flatMap(({ name, key, command }) => [name, key, literal(line(command))])
  return ['display-menu', '-T', title, '-x', 'C', '-y', 'C', ...items]
}
