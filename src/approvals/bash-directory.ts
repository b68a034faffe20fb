import { isAbsolute, resolve } from 'node:path'
import type { Situation } from './rule.ts'
import { isInert, programName } from './shell/concerns.ts'
import type { Concern, Part, SimpleCommand } from './shell/part.ts'
import { isKnown } from './shell/words.ts'

/** Where a command may run: the current directory and every one a `cd` before it named; null is unknown. */
export type Directories = readonly (string | null)[]

export interface PlacedPart {
  part: Part
  directories: Directories
}

const movers = /^(?:cd|chdir|pushd|popd)$/

export function inEachDirectory({ request }: Situation, parts: readonly Part[]): PlacedPart[] {
  const seen: (string | null)[] = [request.cwd]
  return parts.map(part => {
    const placed = { part, directories: [...seen] }
    if (part.kind === 'command' && isMove(part)) seen.push(target(part, seen.at(-1) ?? null))
    return placed
  })
}

function isMove(command: SimpleCommand): boolean {
  return movers.test(command.words[0]?.value ?? '')
}

function target({ words: [mover, place, ...more] }: SimpleCommand, from: string | null): string | null {
  const plain =
    mover?.value === 'cd' && more.length === 0 && place && isKnown(place) && /^[^-~]/.test(place.value)
  if (!plain) return null
  if (isAbsolute(place.value)) return place.value
  return from === null ? null : `${from}/${place.value}`
}

/**
 * A rule speaks of the mission's own directory: elsewhere the same words run another project's scripts.
 * git obeys the settings of whatever directory it stands in, so for git only the mission's root will do.
 */
export function placeConcerns(
  situation: Situation,
  command: SimpleCommand,
  directories: Directories,
): Concern[] {
  if (isMove(command) || isInert(command) || command.words.length === 0) return []
  const { request, resolvePath } = situation
  const root = resolvePath(request.dir)
  const isGit = /^git(?:-|$)/.test(programName(command.words[0]!.value))
  const isRight = (place: string | null) => {
    if (place === null) return false
    const real = [resolvePath(place), resolvePath(resolve(place))]
    return real.every(path => path === root || (!isGit && path.startsWith(`${root}/`)))
  }
  if (directories.every(isRight)) return []
  const why = isGit
    ? "it would not run in the mission's directory"
    : "it would run outside the mission's directory"
  return [{ why, word: '', names: [], certainAsk: true }]
}
