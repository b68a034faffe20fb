import { onExit } from 'signal-exit'

/**
 * Runs `putRight` when this process ends, by itself or by a signal, and then lets it end as it would have ended.
 * `putRight` must be synchronous. Call the returned function when there is nothing to put right any more.
 */
export function atProcessEnd(putRight: () => void): () => void {
  let isNeeded = true
  const stopListening = onExit(() => {
    if (isNeeded) putRight()
  })
  return () => {
    isNeeded = false
    // Not at once: a signal that came during synchronous work is delivered in the next turn, and would be lost.
    setImmediate(stopListening)
  }
}
