/** How long a mission without a terminal may take. Stored with the mission, as JSON. */
export interface HeadlessLimits {
  /** Ends the run. Null if it may take any time. */
  timeout_ms: number | null
  /** A permission request that nobody answers is denied after this time. */
  ask_timeout_ms: number
}

export const usualAskTimeoutMs = 10 * 60 * 1000
