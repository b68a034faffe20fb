/**
 * The colours of the status line, from the 216 + 24 colours that no terminal theme changes. So their contrast is known,
 * on dark and on light terminals. Clients with fewer colours get the terminal's own two, reversed.
 */
export const barColour = 236
const textColour = 252
const calling = 221

/** For messages, selected rows and borders. Readable with any theme and any number of colours. */
const reversed = 'fg=default,bg=default,reverse'
const plain = 'fg=default,bg=default'

/** tmux tells no format how many colours a client has, but the name and the features of a terminal do. */
export const hasColours =
  '#{m/r:256|RGB|direct|kitty|alacritty|ghostty|foot|wezterm,#{client_termname} #{client_termfeatures}}'

const isState = (state: string) => `#{==:#{@agenc_state},${state}}`

/** What a window's options say about its mission. */
export interface Look {
  word: string
  /** A format that is true for windows that look like this. Of all looks, at most one is true. */
  applies: string
  /** A sign in addition to the colour, and one for terminals without UTF-8. tmux has no flags like these. */
  sign: string
  ascii: string
  colour: number
}

/** In the order in which they are counted. */
export const looks: readonly Look[] = [
  { word: 'waiting', applies: isState('waiting'), sign: '?', ascii: '?', colour: calling },
  { word: 'crashed', applies: isState('crashed'), sign: '✗', ascii: 'x', colour: 210 },
  {
    word: 'done',
    applies: `#{&&:${isState('idle')},#{@agenc_done}}`,
    sign: '✓',
    ascii: 'v',
    colour: 117,
  },
  { word: 'busy', applies: isState('busy'), sign: '●', ascii: '@', colour: 114 },
  {
    word: 'idle',
    applies: `#{&&:${isState('idle')},#{!=:#{@agenc_done},1}}`,
    sign: '·',
    ascii: '.',
    colour: textColour,
  },
  { word: 'asleep', applies: isState('asleep'), sign: 'z', ascii: 'z', colour: 248 },
]

/** Not counted: within a second, the mission has another state. */
const starting: Look = {
  word: 'starting',
  applies: isState('starting'),
  sign: ' ',
  ascii: ' ',
  colour: textColour,
}

const pick = (part: (look: Look) => string | number) =>
  [...looks, starting].map(look => `#{?${look.applies},${part(look)},}`).join('')

export const signOf = ({ sign, ascii }: Look) => (sign === ascii ? sign : `#{?client_utf8,${sign},${ascii}}`)

/** Draws text in a colour, if the client has it. */
export const coloured = (colour: number, text: string) =>
  `#{?${hasColours},#[fg=colour${colour}]#[bg=colour${barColour}],}${text}#[default]`

/** Stands out from the line around it. */
export const standout = (text: string) =>
  `#{?${hasColours},#[fg=colour${calling}]#[bg=colour${barColour}]#[reverse],#[noreverse]}#[bold] ${text} #[default]`

/** The labels of all windows, to find two that read the same. */
const allLabels = '#{W:|#{@agenc_label}|}'

/** A mission's name or repo. The short id follows only if another window has the same label. */
export const missionLabel = `#{@agenc_label}#{?#{m:#{@agenc_same_label},${allLabels}}, #{@agenc_short_id},}`

/** A pattern for `allLabels` that matches if two windows have this label. */
export function sameLabel(label: string): string {
  const escaped = label.replace(/[\\*?[\]]/g, '\\$&')
  return `*|${escaped}|*|${escaped}|*`
}

const colours = `#{?${hasColours},#[fg=colour${pick(({ colour }) => colour)}]#[bg=colour${barColour}],}`
const inFront = `#{?${hasColours},#[reverse],#[noreverse]}`
const weight = `#{?${isState('waiting')},#[bold],}`
const sign = `#{?client_utf8,${pick(look => look.sign)},${pick(look => look.ascii)}}`
const text = ` #I${sign}${missionLabel}#{?@agenc_hold, HOLD,} `

/** Options of a mission's window. Every session that shows the window draws it according to its state. */
export const windowStyle: Record<string, string> = {
  'window-status-format': `${colours}${weight}${text}#[default]`,
  'window-status-current-format': `${colours}${inFront}${weight}${text}#[default]`,
  'window-status-separator': '',
  // The user's own styles are made for another background.
  ...Object.fromEntries(
    ['', '-current', '-last', '-bell', '-activity'].map(kind => [`window-status${kind}-style`, 'default']),
  ),
  'mode-style': reversed,
  'pane-border-style': plain,
  'pane-active-border-style': `${plain},bold`,
}

/** Styles of the agenc session. The options `status-fg` and `status-bg` would override `status-style`. */
export const sessionStyle: Record<string, string> = {
  'status-style': `#{?${hasColours},fg=colour${textColour}#,bg=colour${barColour},${reversed.replaceAll(',', '#,')}}`,
  'status-fg': 'default',
  'status-bg': 'default',
  'status-left-style': 'default',
  'status-right-style': 'default',
  'message-style': reversed,
  'message-command-style': reversed,
}
