import { isAbsolute, resolve } from 'node:path'
import { couldMatch } from './glob.ts'
import type { Situation } from './rule.ts'
import { isInert, programName } from './shell/concerns.ts'
import type { Concern, Part, SimpleCommand } from './shell/part.ts'
import { isKnown } from './shell/words.ts'

/** Where a command may run: the current directory and every one that a `cd` may have led to; null is unknown. */
export type Directories = readonly (string | null)[]

export interface PlacedPart {
  part: Part
  directories: Directories
}

const movers = ['cd', 'chdir', 'pushd', 'popd']
/** Each relative `cd` may double them. */
const maxDirectories = 16

/** A `cd` counts for what stands behind it, and for everything that may run again. */
export function inEachDirectory({ request }: Situation, parts: readonly Part[]): PlacedPart[] {
  let reached: Directories = [request.cwd]
  const placed = parts.map(part => {
    const directories = reached
    if (part.kind === 'command' && mayMove(part)) reached = after(part, reached)
    return { part, directories }
  })
  return placed.map(({ part, directories }) => ({ part, directories: part.again ? reached : directories }))
}

function isMove(command: SimpleCommand): boolean {
  return movers.includes(command.words[0]?.value ?? '')
}

function mayMove({ words: [program] }: SimpleCommand): boolean {
  return program !== undefined && movers.some(mover => couldMatch(mover, program.possible))
}

/** One `cd` may fail, be skipped or happen in a subshell: the next one starts from any place before it. */
function after(command: SimpleCommand, before: Directories): Directories {
  const place = plainPlace(command)
  const isLost = place === null || (command.again && !isAbsolute(place))
  const found = isLost ? [null] : before.map(from => join(from, place))
  const all = [...new Set([...before, ...found])]
  return all.length > maxDirectories ? [...new Set([...before, null])] : all
}

function join(from: string | null, place: string): string | null {
  if (isAbsolute(place)) return place
  return from === null ? null : `${from}/${place}`
}

function plainPlace({ words: [mover, place, ...more] }: SimpleCommand): string | null {
  const isPlain = mover?.value === 'cd' && more.length === 0 && place && isKnown(place)
  return isPlain && /^[^-+~]/.test(place.value) ? place.value : null
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
