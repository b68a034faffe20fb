import type { Key } from './keys.ts'
import type { WaitingFor } from './status-file.ts'

export interface Choice<Value> {
  label: string
  detail?: string
  value: Value
}

/** A question that stands in the way of everything else. */
export interface Dialog<Value = unknown> {
  title: string
  body: string[]
  question?: string
  choices: Choice<Value>[]
  hint: string
  /** Numbered choices are answered by their digit; the others only by Enter. */
  numbered: boolean
  waitingFor: WaitingFor
}

export interface OpenDialog {
  dialog: Dialog
  selected: number
  openedAt: number
}

/** `chosen` undefined: Esc. */
export type DialogStep = { selected: number } | { chosen: unknown } | { cancelled: true } | undefined

/** A key that was meant for what stood here a moment ago must not answer. */
const deafMs = 200

export function dialogStep(open: OpenDialog, key: Key, now: number): DialogStep {
  if (now - open.openedAt < deafMs) return undefined
  const { choices, numbered } = open.dialog
  switch (key.name) {
    case 'escape':
    case 'ctrl-c':
      return { cancelled: true }
    case 'enter':
      return { chosen: choices[open.selected]?.value }
    case 'up':
      return { selected: Math.max(0, open.selected - 1) }
    case 'down':
      return { selected: Math.min(choices.length - 1, open.selected + 1) }
    case 'text': {
      const choice = numbered ? choices[Number(key.text) - 1] : undefined
      return choice ? { chosen: choice.value } : undefined
    }
    default:
      return undefined
  }
}
