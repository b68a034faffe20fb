import { usageError } from '../errors.ts'

const unitMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `90s`, `30m`, `2h`, `3d` ago, or a date, as ISO 8601. */
export function parseSince(text: string, now: Date): string {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? []
  const timeMs = unit ? now.getTime() - Number(count) * unitMs[unit]! : Date.parse(text)
  if (Number.isNaN(timeMs) || Math.abs(timeMs) > 8.64e15) {
    throw usageError(
      `${JSON.stringify(text)} is not a time`,
      'Use 30m, 2h, 3d, or a date such as 2026-01-31.',
    )
  }
  return new Date(timeMs).toISOString()
}
