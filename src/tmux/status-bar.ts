import { textWidth } from '../io/text.ts'
import { sessionTarget } from './current-window.ts'
import { tableName } from './keys/key-table.ts'
import { coloured, type Look, looks, missionLabel, sessionStyle, signOf, standout } from './status-style.ts'
import { drawn, type TmuxCommand } from './tmux.ts'

/** A key of agenc's table, and what it does, in one word. */
export interface KeyHint {
  key: string
  word: string
}

const isTableOpen = `#{==:#{client_key_table},${tableName}}`

/** Leave no room for the list. */
const blanks = '#{p/#{client_width}:#{l:}}'

/** tmux itself counts the windows. */
const count = ({ applies }: Look) => `#{n:#{W:#{?${applies},x,}}}`
const ifAny = (look: Look, text: string) => `#{?#{!=:${count(look)},0},${text},}`

const counts = {
  inWords: looks.map(look => ifAny(look, coloured(look.colour, ` ${count(look)} ${look.word}`))).join(''),
  inSigns: looks.map(look => ifAny(look, coloured(look.colour, ` ${signOf(look)}${count(look)}`))).join(''),
}

const held = '#{n:#{W:#{?@agenc_hold,x,}}}'
const hold = `#{?@agenc_hold_all,${standout('HOLD')},#{?#{!=:${held},0},${standout(`HOLD ${held}`)},}}`

const lost = (text: string) => `#{?@agenc_restorable,${coloured(210, text)},}`

const waiting = looks.find(({ word }) => word === 'waiting')!
/** The window in front is always in the list. */
const names = `#{W:#{?${waiting.applies}, ${signOf(waiting)}${missionLabel},},}`

const list = '#{W:#{E:window-status-format}#{E:window-status-separator},#{E:window-status-current-format} }'
/** Whether the list and this text have room side by side. */
const fits = (text: string) => `#{e|<=:#{e|+:#{w:${list}},#{w:${text}}},#{client_width}}`

/** Options that hold parts of the line, because a format cannot name a part that it uses twice. */
const parts = {
  '@agenc_in_words': `${lost(' #{@agenc_restorable} to restore: agenc tmux restore')}${hold}${counts.inWords}`,
  '@agenc_in_signs': `${lost(' #{@agenc_restorable} to restore')}${hold}${counts.inSigns}`,
  '@agenc_waiting_names': coloured(waiting.colour, `#{=/#{e|/:#{client_width},2}/…:${names}}`),
}
const [inWords, inSigns, waitingNames] = Object.keys(parts).map(name => `#{E:${name}}`) as [
  string,
  string,
  string,
]

/** Words if there is room for them. If even signs leave too little room for the list, waiting missions are named. */
const right = `#{?${fits(inWords)},${inWords},#{?${fits(inSigns)},,${waitingNames}}${inSigns}} `

/** Options of the agenc session only. */
export function statusBar(hints: readonly KeyHint[]): TmuxCommand[] {
  const wide = keysLine(hints, '  ')
  const narrow = keysLine(hints, ' ')
  // For 80 columns. The help menu has the others.
  const fewest = keysLine(
    hints.filter(({ word }) => !['editor', 'review', 'land', 'detach'].includes(word)),
    ' ',
  )
  const isAtLeast = ({ columns }: { columns: number }) => `#{e|>=:#{client_width},${columns}}`
  const options = {
    ...sessionStyle,
    ...parts,
    '@agenc_keys': wide.text,
    '@agenc_keys_narrow': narrow.text,
    '@agenc_keys_fewest': fewest.text,
    'status-left': `#{?${isTableOpen},#{?${isAtLeast(wide)},#{@agenc_keys},#{?${isAtLeast(narrow)},#{@agenc_keys_narrow},#{@agenc_keys_fewest}}}${blanks},}`,
    'status-left-length': '500',
    'status-right': `#{?${isTableOpen},,${right}}`,
    'status-right-length': '500',
    'set-titles': 'on',
    'set-titles-string': 'agenc: #W',
  }
  return [
    ...Object.entries(options).map(([name, value]) => setForSession(name, value)),
    ['set-hook', '-t', `${sessionTarget}:`, 'session-window-changed', 'set-option -wu @agenc_done'],
  ]
}

function keysLine(hints: readonly KeyHint[], gap: string): { text: string; columns: number } {
  const columns = hints.reduce((sum, { key, word }) => sum + textWidth(`${key} ${word}${gap}`), 1)
  const text = hints.map(({ key, word }) => `#[bold]${drawn(key)}#[nobold] ${word}`).join(gap)
  return { text: ` ${text}`, columns }
}

/** Uses the status line, because a message would cover the screen until a key is pressed. */
export function showRestorable(count: number): TmuxCommand {
  return setForSession('@agenc_restorable', count > 0 ? String(count) : '')
}

/** Shows that automatic approvals are paused for all missions. */
export function showHold(isHeld: boolean): TmuxCommand {
  return setForSession('@agenc_hold_all', isHeld ? '1' : '')
}

function setForSession(name: string, value: string): TmuxCommand {
  return ['set-option', '-t', `${sessionTarget}:`, name, value]
}
