import { isAbsolute, resolve } from 'node:path'
import { couldMatch } from './glob.ts'
import type { Situation } from './rule.ts'
import { isInert, programName } from './shell/concerns.ts'
import { type Concern, isKnown, type Part, type SimpleCommand } from './shell/parts.ts'

/** Where a command may run: the current directory and each one a `cd` may have led to. null is an unknown one. */
export type Directories = readonly (string | null)[]

export interface PartWithDirectories {
  part: Part
  directories: Directories
}

const directoryChangers = ['cd', 'chdir', 'pushd', 'popd']
/** A limit, because each relative `cd` may double the number of directories. */
const maxDirectories = 16

/** A `cd` affects the parts after it. It also affects every part of a loop or function, since those may run again. */
export function withDirectories({ request }: Situation, parts: readonly Part[]): PartWithDirectories[] {
  let reached: Directories = [request.cwd]
  const inOrder = parts.map(part => {
    const directories = reached
    if (part.kind === 'command' && mayChangeDirectory(part)) reached = directoriesAfter(part, reached)
    return { part, directories }
  })
  return inOrder.map(({ part, directories }) => ({
    part,
    directories: part.mayRepeat ? reached : directories,
  }))
}

function changesDirectory(command: SimpleCommand): boolean {
  return directoryChangers.includes(command.words[0]?.value ?? '')
}

function mayChangeDirectory({ words: [program] }: SimpleCommand): boolean {
  return program !== undefined && directoryChangers.some(name => couldMatch(name, program.possible))
}

/** A `cd` may fail, be skipped or run in a subshell, so the directories before it stay possible. */
function directoriesAfter(command: SimpleCommand, before: Directories): Directories {
  const target = knownTarget(command)
  const isUnknown = target === null || (command.mayRepeat && !isAbsolute(target))
  const found = isUnknown ? [null] : before.map(from => join(from, target))
  const all = [...new Set([...before, ...found])]
  return all.length > maxDirectories ? [...new Set([...before, null])] : all
}

function join(from: string | null, target: string): string | null {
  if (isAbsolute(target)) return target
  return from === null ? null : `${from}/${target}`
}

function knownTarget({ words: [program, target, ...more] }: SimpleCommand): string | null {
  const isPlainCd = program?.value === 'cd' && more.length === 0 && target && isKnown(target)
  return isPlainCd && /^[^-+~]/.test(target.value) ? target.value : null
}

/**
 * An allow rule is about the mission's own directory: elsewhere the same words run another project's scripts.
 * git obeys the settings of its current directory, so git must run in the top directory of the mission.
 */
export function directoryConcerns(
  situation: Situation,
  command: SimpleCommand,
  directories: Directories,
): Concern[] {
  if (changesDirectory(command) || isInert(command) || command.words.length === 0) return []
  const { request, resolvePath } = situation
  const root = resolvePath(request.dir)
  const isGit = /^git(?:-|$)/.test(programName(command.words[0]!.value))
  const isTrusted = (directory: string | null) => {
    if (directory === null) return false
    const real = [resolvePath(directory), resolvePath(resolve(directory))]
    return real.every(path => path === root || (!isGit && path.startsWith(`${root}/`)))
  }
  if (directories.every(isTrusted)) return []
  const reason = isGit
    ? 'git would not run in the top directory of the mission'
    : "it would run outside the mission's directory"
  return [{ reason, word: '', names: [], alwaysAsk: true }]
}
