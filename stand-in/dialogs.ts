import { type Dialog, type DialogStep, dialogStep, type OpenDialog } from './dialog.ts'
import type { Key } from './keys.ts'

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
