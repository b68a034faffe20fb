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

const words = { d: 'd', h: 'h', m: 'min', s: 's' }

/** How long ago a time was, in words: `2 min`, as in `2 min old`. */
export function age(time: string, now: Date): string {
  const text = ago(time, now)
  return `${text.slice(0, -1)} ${words[text.slice(-1) as Unit]}`
}

/** A stored time as the user's clock shows it, and how long ago that was: `2026-01-31 14:05:09 (3m ago)`. */
export function localTime(time: string, now: Date): string {
  return `${clockTime(time)} (${ago(time, now)} ago)`
}

/** A stored time as the user's clock shows it: `2026-01-31 14:05:09`. */
export function clockTime(time: string): string {
  const at = new Date(time)
  const two = (number: number) => String(number).padStart(2, '0')
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${date} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`
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
