import type { Key } from './keyboard-input.ts'
import type { WaitingFor } from './session-status.ts'

export interface Choice<Value> {
  label: string
  detail?: string
  value: Value
}

/** A question that blocks everything else until it is answered. */
export interface Dialog<Value = unknown> {
  title: string
  body: string[]
  question?: string
  choices: Choice<Value>[]
  hint: string
  /** Numbered choices can be picked by their digit. The others can be picked only with Enter. */
  numbered: boolean
  waitingFor: WaitingFor
}

export interface OpenDialog {
  dialog: Dialog
  selected: number
  openedAt: number
}

export type DialogStep = { selected: number } | { chosen: unknown } | { cancelled: true } | undefined

/** A new dialog ignores keys for this long, because the user meant them for the screen before it. */
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

/** The open dialogs. Only the first one is shown. */
export class Dialogs {
  private readonly queue: Pending[] = []
  private readonly changed: () => void

  constructor(changed: () => void) {
    this.changed = changed
  }

  get current(): OpenDialog | undefined {
    return this.queue[0]?.open
  }

  /**
   * Resolves with the chosen value, with `cancelled` after Esc, or with undefined if the signal closed the
   * dialog.
   */
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

  /** Returns true if a dialog is open, even if the dialog ignored the key. */
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
