import { isAbsolute, resolve } from 'node:path'
import { couldMatch } from './glob.ts'
import type { Situation } from './rule.ts'
import { knownProgram } from './shell/known-programs.ts'
import { isLiteralWord, type ShellCommand, type ShellWord } from './shell/shell-command.ts'

/** Where a command may run: the current directory and each one a `cd` may have led to. null is an unknown one. */
export type Directories = readonly (string | null)[]

const directoryChangers = ['cd', 'chdir', 'pushd', 'popd']
/** A limit, because each relative `cd` may double the number of directories. */
const maxDirectories = 16

/**
 * Returns the directories of each command, then those at the end. A `cd` affects the commands after it. It also affects
 * all of a loop or function, since those may run again.
 */
export function directoriesOf(cwd: string, commands: readonly ShellCommand[]): Directories[] {
  let reached: Directories = [cwd]
  const before = commands.map(command => {
    const directories = reached
    const [program] = command.words
    if (program && directoryChangers.some(name => couldMatch(name, program.value)))
      reached = directoriesAfter(command, reached)
    return directories
  })
  return [...commands.map(({ mayRepeat }, at) => (mayRepeat ? reached : before[at]!)), reached]
}

/** A `cd` may fail, be skipped or run in a subshell, so the directories before it stay possible. */
export function directoriesAfter({ words, mayRepeat }: ShellCommand, before: Directories): Directories {
  const [program, target, ...more] = words
  const isPlain = program?.value === 'cd' && target && more.length === 0 && isLiteralWord(target)
  const path = isPlain && /^[^-+~]/.test(target.value) ? target.value : null
  const isUnknown = path === null || (mayRepeat && !isAbsolute(path))
  const found = isUnknown ? [null] : before.map(from => joinPath(from, path))
  const all = [...new Set([...before, ...found])]
  return all.length > maxDirectories ? [...new Set([...before, null])] : all
}

function joinPath(from: string | null, target: string): string | null {
  if (isAbsolute(target)) return target
  return from === null ? null : `${from}/${target}`
}

/** True if the directory lies in the mission's own one, through links too. */
export function isInsideMission(situation: Situation, directory: string | null): boolean {
  const root = situation.resolvePath(situation.request.dir)
  if (directory === null) return false
  return realSpellings(situation, directory).every(path => `${path}/`.startsWith(`${root}/`))
}

/** After `cd link/..`, a shell may be where the path says, or where the kernel arrives. */
function realSpellings({ resolvePath }: Situation, directory: string): string[] {
  return [directory, resolve(directory)].map(resolvePath)
}

/**
 * An allow rule is about the mission's own directory: elsewhere the same words run another project's scripts.
 * git obeys the settings of its current directory, so git must run in the top directory of the mission.
 */
export function whyWrongDirectory(
  situation: Situation,
  words: readonly ShellWord[],
  directories: Directories,
): string | null {
  const { request, resolvePath } = situation
  const program = words[0]?.value ?? ''
  if (directoryChangers.includes(program) || knownProgram(program)?.inert) return null
  if (!directories.every(directory => isInsideMission(situation, directory)))
    return "it would run outside the mission's directory"
  const isGit = /^(?:.*\/)?git(?:-|$)/.test(program)
  const isTop = (directory: string | null) =>
    realSpellings(situation, directory!).every(path => path === resolvePath(request.dir))
  return isGit && !directories.every(isTop) ? 'git would not run in the top directory of the mission' : null
}
