/**
 * Ends this process by a signal that it was told to end by, so that its parent sees which one. No listener for the signal
 * may be left.
 */
export function reraiseSignal(signal: NodeJS.Signals): void {
  process.kill(process.pid, signal)
}
