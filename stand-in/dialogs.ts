import type { Key } from './keyboard-input.ts'
import type { WaitingFor } from './session-status.ts'

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

interface Pending {
  open: OpenDialog
  settle(step: DialogStep): void
}

/** The dialogs that wait, one on the screen at a time. */
export class Dialogs {
  private readonly queue: Pending[] = []
  private readonly changed: () => void

  constructor(changed: () => void) {
    this.changed = changed
  }

  get current(): OpenDialog | undefined {
    return this.queue[0]?.open
  }

  /** The chosen value, `cancelled` for Esc, or undefined when the signal took the dialog away. */
  ask<Value>(
    dialog: Dialog<Value>,
    signal: AbortSignal,
  ): Promise<{ chosen: Value } | 'cancelled' | undefined> {
    return new Promise(resolve => {
      const close = () => {
        signal.removeEventListener('abort', withdraw)
        this.queue.splice(this.queue.indexOf(pending), 1)
        if (this.queue[0]) this.queue[0].open.openedAt = Date.now()
        this.changed()
      }
      const withdraw = () => {
        close()
        resolve(undefined)
      }
      const pending: Pending = {
        open: { dialog, selected: 0, openedAt: Date.now() },
        settle: step => {
          close()
          resolve(step && 'chosen' in step ? { chosen: step.chosen as Value } : 'cancelled')
        },
      }
      if (signal.aborted) return resolve(undefined)
      signal.addEventListener('abort', withdraw, { once: true })
      this.queue.push(pending)
      this.changed()
    })
  }

  /** True when a dialog is open: the key was its, whether it meant anything or not. */
  key(key: Key): boolean {
    const pending = this.queue[0]
    if (!pending) return false
    const step = dialogStep(pending.open, key, Date.now())
    if (step && 'selected' in step) {
      pending.open.selected = step.selected
      this.changed()
    } else if (step) pending.settle(step)
    return true
  }
}
