/** Of a later one V8 may not know the flags, and would complain on the terminal. */
const newestKnownNode = 24

const cleaning = new FinalizationRegistry<() => void>(resolve => resolve())

/**
 * For a process that waits for hours: lets V8 drop all that it has compiled, half a MiB, when it first cleans up, some
 * eight seconds after a start. Resolves then; whatever is called from there on stays compiled.
 */
export async function dropCompiledCode(): Promise<void> {
  if (Number.parseInt(process.versions.node, 10) > newestKnownNode) return
  const { setFlagsFromString } = await import('node:v8')
  setFlagsFromString('--stress-flush-code')
  await new Promise<void>(resolve => cleaning.register({}, resolve))
  setFlagsFromString('--no-stress-flush-code')
  setFlagsFromString('--no-flush-bytecode')
}
