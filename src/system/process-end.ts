import { onExit } from 'signal-exit'

/**
 * Runs `putRight` when this process ends, even by a signal. The process then ends in the same way as without it.
 * `putRight` must be synchronous. Call the returned function when there is nothing left to put right.
 */
export function atProcessEnd(putRight: () => void): () => void {
  let isNeeded = true
  const stopListening = onExit(() => {
    if (isNeeded) putRight()
  })
  return () => {
    isNeeded = false
    // Wait one turn: a signal that came during synchronous work is delivered only then, and would be lost.
    setImmediate(stopListening)
  }
}
