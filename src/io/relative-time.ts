import { usageError } from '../errors.ts'

const unitSeconds = { d: 86_400, h: 3_600, m: 60, s: 1 }
type Unit = keyof typeof unitSeconds

const latestTimeMs = 8.64e15

/** How long ago a time was, for people: `3m`, `2h`, `5d`. */
export function ago(time: string, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - Date.parse(time)) / 1000))
  const units = Object.entries(unitSeconds)
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? ['s', 1]
  return `${Math.floor(seconds / size)}${unit}`
}

/** The ISO 8601 time of `90s`, `30m`, `2h` or `3d` ago, or of a date. */
export function parseSince(text: string, now: Date): string {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? []
  const timeMs = unit ? now.getTime() - Number(count) * unitSeconds[unit as Unit] * 1000 : Date.parse(text)
  if (Number.isNaN(timeMs) || Math.abs(timeMs) > latestTimeMs) {
    throw usageError(
      `${JSON.stringify(text)} is not a time`,
      'Use 30m, 2h, 3d, or a date such as 2026-01-31.',
    )
  }
  return new Date(timeMs).toISOString()
}
