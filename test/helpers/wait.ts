const patienceMs = 30_000
const pauseMs = 10

/** Waits for a condition, never for a time; what it last saw is in the error. */
export async function waitFor<T>(
  what: string,
  probe: () => T | Promise<T>,
  timeoutMs = patienceMs,
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
    `gave up waiting for ${what}; last seen: ${last instanceof Error ? last.stack : String(last)}`,
  )
}
