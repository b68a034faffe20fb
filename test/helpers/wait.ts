const defaultTimeoutMs = 30_000
const pauseMs = 10

/** Waits until `probe` returns a truthy value, and returns it. The error on a timeout says what it last returned or threw. */
export async function waitFor<T>(
  awaited: string,
  probe: () => T | Promise<T>,
  timeoutMs = defaultTimeoutMs,
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = Date.now() + timeoutMs
  let last: unknown
  do {
    try {
      const value = await probe()
      if (value) return value as NonNullable<Exclude<T, false>>
      last = value
    } catch (error) {
      last = error
    }
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  } while (Date.now() < deadline)
  throw new Error(
    `gave up waiting for ${awaited}; last seen: ${last instanceof Error ? last.stack : String(last)}`,
  )
}
