import { Cancelled } from '../errors.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Ctrl-C, and being told to end, become an AbortSignal for `work`, which then has the time to clean up.
 * What was already done when the signal came stays done.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const abort = () => controller.abort()
  for (const name of signals) process.on(name, abort)
  try {
    return await work(controller.signal)
  } catch (error) {
    // The same Ctrl-C ends what we have started: its end may be heard before our own signal.
    await new Promise(resolve => setImmediate(resolve))
    throw controller.signal.aborted ? new Cancelled() : error
  } finally {
    for (const name of signals) process.off(name, abort)
  }
}
