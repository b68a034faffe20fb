/** How long a mission without a terminal may take. Stored with the mission, as JSON. */
export interface HeadlessLimits {
  /** Ends the run. Null if it may take any time. */
  timeout_ms: number | null
  /** A permission request that nobody answers is denied after this time. */
  ask_timeout_ms: number
}

export const usualAskTimeoutMs = 10 * 60 * 1000

const unlimited: HeadlessLimits = { timeout_ms: null, ask_timeout_ms: usualAskTimeoutMs }

/** The limits that are stored with a mission. */
export function limitsOf({ headless_limits }: { headless_limits: string | null }): HeadlessLimits {
  return headless_limits === null ? unlimited : { ...unlimited, ...JSON.parse(headless_limits) }
}
