import { shellWord } from '../../io/shell-quote.ts'
import { messageMs } from '../announce.ts'
import { literal, type TmuxCommand } from '../tmux.ts'
import { line } from '../tmux-script.ts'

/** Node parses extra certificates at every start, which more than doubles its start time. */
const quickStart = 'unset NODE_EXTRA_CA_CERTS'

/** tmux does not expand the arguments of a popup, and no shell parses them. So they can be any text. */
const popupScript = (width: number, height: number, staysOpen: boolean) =>
  [
    quickStart,
    // The switcher derives the size of the whole terminal from it.
    `AGENC_POPUP=${width}x${height}; export AGENC_POPUP`,
    '"$@"',
    'code=$?',
    `case $code in ${staysOpen ? '' : '0 | '}130) exit 0 ;; esac`,
    'stty sane 2>/dev/null',
    'printf "\\nPress Enter to close this. "',
    'read -r _',
  ].join('; ')

/** Whether 80 % × 60 % leave 100 columns and 24 rows inside the border. */
const isRoomy = '#{&&:#{e|>=:#{client_width},128},#{e|>=:#{client_height},44}}'

export interface PopupOptions {
  /** Set for a program whose result is to be read. */
  staysOpen?: boolean
}

/** Runs a program in a popup. If the program fails, the popup stays open, so that its message can be read. */
export function popup(program: readonly string[], options: PopupOptions = {}): TmuxCommand {
  return ['if-shell', '-F', isRoomy, sized(program, 80, 60, options), sized(program, 95, 95, options)]
}

function sized(
  program: readonly string[],
  width: number,
  height: number,
  { staysOpen = false }: PopupOptions,
): string {
  return line([
    ...['display-popup', '-E', '-w', `${width}%`, '-h', `${height}%`],
    ...['/bin/sh', '-c', popupScript(width, height, staysOpen), 'agenc', ...program],
  ])
}

/** A word of a program that stands for the mission in view. For `popupOfMission` and `menuOfMission`. */
export const itsMission = '@mission-in-view@'

/** Text that tmux expands to a command. Only the mission is expanded. */
function forMission(command: string): string {
  return literal(command).replaceAll(itsMission, missionInView.format)
}

/** Runs a program for the mission in view. tmux expands no formats in the arguments of a popup, so `run-shell` does. */
export function popupOfMission(program: readonly string[], options: PopupOptions = {}): TmuxCommand {
  const expanded = (width: number, height: number) =>
    line(['run-shell', '-C', forMission(sized(program, width, height, options))])
  return ['if-shell', '-F', isRoomy, expanded(80, 60), expanded(95, 95)]
}

/**
 * `run-shell` covers the pane with any output and with a failure, so stderr is shown as a message instead. In tmux 3.2,
 * `display-message` cannot name a client.
 */
const quietScript = [
  'text=$("$@" 2>&1 >/dev/null </dev/null | sed "$skip s/[$hash%]/&&/g" | tr "\\n" " ")',
  '[ -n "$text" ] || exit 0',
  `set -- -d ${messageMs} -- "$text"`,
  '{ "$tmux" display-message -c "$client" "$@" || "$tmux" display-message "$@"; } >/dev/null 2>&1',
  'exit 0',
].join('; ')

/** A word that tmux expands when the key is pressed. Its value must not contain anything special to sh or tmux. */
export interface Format {
  format: string
}

export interface QuietOptions {
  /** Set for a program that passes its environment on to programs it starts. */
  keepsEnvironment?: boolean
  /** The rest would not fit on the line. */
  firstLineOnly?: boolean
}

/**
 * Runs a program without a terminal. `run-shell` takes only shell text, and tmux expands `#` in it, in some versions
 * twice. So every word is quoted for sh, and the only `#` left are those of `Format` words.
 */
export function quietly(
  tmux: string,
  program: readonly (string | Format)[],
  { keepsEnvironment = false, firstLineOnly = false }: QuietOptions = {},
): TmuxCommand {
  const words = program.map(word => (typeof word === 'string' ? runShellWord(word) : word.format))
  const names = `hash=$(printf "\\043"); client=#{q:client_name}; tmux=${runShellWord(tmux)}; skip='${firstLineOnly ? '2,999d;' : ''}'`
  const script = keepsEnvironment ? quietScript : `${quickStart}; ${quietScript}`
  return ['run-shell', '-b', `${names}; set -- ${words.join(' ')}; ${script}`]
}

function runShellWord(word: string): string {
  return shellWord(word).replaceAll('#', `'"$hash"'`)
}

export const missionInView: Format = { format: '#{@agenc_mission_uuid}' }

const hex = '[0-9a-f]+'
/** Any program can set a window's option, so only a UUID is accepted. */
const hasMission = `#{m/r:^${[hex, hex, hex, hex, hex].join('-')}$,${missionInView.format}}`

export function withMission(command: TmuxCommand): TmuxCommand {
  return [
    'if-shell',
    '-F',
    hasMission,
    line(command),
    line(['display-message', '-d', String(messageMs), 'No mission in this window.']),
  ]
}

/** Expands formats when the question is shown. By the time it is answered, another mission may be in view. */
export function confirmed(question: string, command: TmuxCommand): TmuxCommand {
  const prompt = `${question} #{=8:@agenc_mission_uuid}? (y/n)`
  return ['run-shell', '-C', line(['confirm-before', '-p', prompt, line(command)])]
}

export interface MenuEntry {
  name: string
  key: string
  command: TmuxCommand
}

/** Commands are escaped, because tmux expands them when it draws the menu. */
export function menu(title: string, entries: readonly MenuEntry[]): TmuxCommand {
  return menuWith(title, entries, literal)
}

/** A menu for the mission that is in view when the menu is drawn. */
export function menuOfMission(title: string, entries: readonly MenuEntry[]): TmuxCommand {
  return menuWith(`${title} #{=8:@agenc_mission_uuid}`, entries, forMission)
}

function menuWith(
  title: string,
  entries: readonly MenuEntry[],
  escaped: (command: string) => string,
): TmuxCommand {
  const items = entries.flatMap(({ name, key, command }) => [name, key, escaped(line(command))])
  return ['display-menu', '-T', title, '-x', 'C', '-y', 'C', ...items]
}
