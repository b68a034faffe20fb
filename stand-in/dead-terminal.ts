import { closeSync } from 'node:fs'
import { isatty } from 'node:tty'

/**
 * On its way out Node puts back the modes of every terminal it was started with, and aborts when one of them is
 * gone. A descriptor that is closed it leaves alone.
 */
export function closeDeadTerminals(): void {
  for (const descriptor of [0, 1, 2]) {
    if (isatty(descriptor)) continue
    try {
      closeSync(descriptor)
    } catch {
      /* closed already */
    }
  }
}
