const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const

/** `3m`, `2h`, `5d`: how long ago, for people. */
export function ago(time: string, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - Date.parse(time)) / 1000))
  for (const [unit, size] of units) {
    if (seconds >= size) return `${Math.floor(seconds / size)}${unit}`
  }
  return `${seconds}s`
}
