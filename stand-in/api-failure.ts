export interface ApiFailure {
  status: number
  message: string
}

/** What Claude says instead of an answer. */
export function failureText({ status, message }: ApiFailure): string {
  if (status === 401 || status === 403) return `Please run /login · API Error: ${status} ${message}`
  if (status === 429) return `API Error: Request rejected (429) · ${message}`
  return `API Error: ${status} ${message}`
}

/** What StopFailure calls it. */
export function failureKind({ status }: ApiFailure): string {
  if (status === 401 || status === 403) return 'authentication_failed'
  if (status === 429) return 'rate_limit'
  return status >= 500 ? 'server_error' : 'unknown'
}
