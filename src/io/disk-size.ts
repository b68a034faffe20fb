import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { usageError } from '../errors.ts'
import { namesIn } from './files.ts'

const blockBytes = 512

export interface DiskUse {
  bytes: number
  /** False if the time was over before everything was counted. */
  isComplete: boolean
}

/** The disk space of these directories. A file with several links is counted once. */
export function diskUse(paths: readonly string[], timeoutMs = Number.POSITIVE_INFINITY): DiskUse {
  const deadlineMs = performance.now() + timeoutMs
  const linked = new Set<string>()
  const pending = [...paths]
  let bytes = 0
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (performance.now() > deadlineMs) return { bytes, isComplete: false }
    const stats = statsOf(path)
    if (!stats || (stats.nlink > 1 && !stats.isDirectory() && isKnown(linked, stats))) continue
    bytes += stats.blocks * blockBytes
    if (stats.isDirectory()) for (const name of namesIn(path)) pending.push(join(path, name))
  }
  return { bytes, isComplete: true }
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function isKnown(linked: Set<string>, { dev, ino }: Stats): boolean {
  const file = `${dev}:${ino}`
  if (linked.has(file)) return true
  linked.add(file)
  return false
}

const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** `0 B`, `12 kB`, `1.4 GB` */
export function formatBytes(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const number = bytes / 1000 ** power
  return `${number < 10 && power > 0 ? number.toFixed(1) : Math.round(number)} ${units[power]}`
}

/** The bytes of `500`, `100k`, `20M`, `1.5 GB`. */
export function parseBytes(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kMGT]?)B?$/i.exec(text) ?? []
  if (number === undefined) throw usageError(`${JSON.stringify(text)} is not a size`, 'Use 500k, 100M or 2G.')
  return Number(number) * 1000 ** ['', 'k', 'm', 'g', 't'].indexOf(unit.toLowerCase())
}
