/** What a signal means: the code to leave with. Claude quits on SIGINT, it does not interrupt. */
const exitCodes = { SIGINT: 0, SIGTERM: 143, SIGHUP: 129 } as const

export interface SignalHandlers {
  leave(exitCode: number): void
  continued(): void
  resized(): void
}

export function handleSignals(handlers: SignalHandlers): void {
  for (const [signal, exitCode] of Object.entries(exitCodes))
    process.on(signal, () => handlers.leave(exitCode))
  process.on('SIGCONT', handlers.continued)
  process.on('SIGWINCH', handlers.resized)
}

/** The whole group, as a shell's job: where nobody could ever continue it, the kernel does not stop it. */
export function suspend(): void {
  process.kill(0, 'SIGTSTP')
}
