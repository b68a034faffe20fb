export type Status = 'ok' | 'warning' | 'problem'

/** One line of the doctor's. */
export interface Finding {
  check: string
  status: Status
  message: string
  /** What to type or to do; null where all is well. */
  remedy: string | null
  /** Mends it without anybody's work being at stake; says what was done. */
  fix?: () => string
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, remedy: null }
}

export function warning(check: string, message: string, remedy: string, fix?: () => string): Finding {
  return { check, status: 'warning', message, remedy, ...(fix ? { fix } : {}) }
}

export function problem(check: string, message: string, remedy: string, fix?: () => string): Finding {
  return { check, status: 'problem', message, remedy, ...(fix ? { fix } : {}) }
}
