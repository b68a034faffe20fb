import { basename, isAbsolute, join, resolve } from 'node:path'
import { unknownText } from './glob.ts'
import type { Request, Situation } from './rule.ts'
import { harmIn } from './shell/known-programs.ts'
import { baseName, literalWord, type ShellCommand, type ShellWord, setOf } from './shell/shell-command.ts'

/**
 * What a mission could use to widen its own rights is asked in every mode: agenc's home except the mission's own
 * directory, Claude's settings, commands that type into tmux panes, and commands of agenc that are not known to be
 * harmless. Only a rule that names it allows it.
 */

/** Returns why a write to one of these places is asked about; null if it is not. */
export function guardedPlace({ request, resolvePath }: Situation, places: readonly string[]): string | null {
  const { agencHome, claudeDirectory } = guardedDirectories(request)
  const isIn = (place: string, root: string) =>
    [root, resolvePath(root)].some(at => place === at || place.startsWith(`${at}/`))
  const ownDirectory = isIn(request.dir, agencHome) ? request.dir : null
  for (const place of places) {
    if (isIn(place, agencHome) && !(ownDirectory && isIn(place, ownDirectory)))
      return `${place} belongs to agenc, and could change what the mission may do`
    const isNote = /^\/(?:plans|projects\/[^/]+\/memory)\//.test(place.slice(claudeDirectory.length))
    const isSetting = /(?:^|\/)\.claude(?:\/settings[^/]*|\.json[^/]*)?$/i.test(place)
    if (isSetting || (isIn(place, claudeDirectory) && !isNote))
      return `${place} belongs to the settings of Claude`
  }
  return null
}

/** `rm -r` of a directory above the settings removes them too. */
function holdsGuarded(situation: Situation, places: readonly string[]): string | null {
  const roots = guardedRoots(situation)
  const found = places.find(place => roots.some(root => root.startsWith(place === '/' ? '/' : `${place}/`)))
  return found === undefined ? null : `${found} contains the settings of agenc or Claude`
}

function guardedRoots({ request, resolvePath }: Situation): string[] {
  return Object.values(guardedDirectories(request)).flatMap(root => [root, resolvePath(root)])
}

/** Where values that only the shell knows may lead, judged by the text of the whole script. */
export interface Reach {
  /** The script contains `..`, or pieces that may become one. */
  climbs: boolean
  /** It may name a place above the mission's directory in any way. */
  leavesDirectory: boolean
}

const severalUnknowns = new RegExp(`^${unknownText}[^/]*/.*${unknownText}`, 's')
const dotsInPieces = new RegExp(`(?:^|[/=:])[.${unknownText}]{2,}(?:/|$)`)
const wayOut =
  /~|HOME|PWD|\$_|\$\{\W|\b(?:base32|base64|dirname|getent|od|popd|printf|pushd|pwd|rev|tr|xxd)(?![\w-])|\bcd\s*(?:$|[;&|)\n-])/

/** The variables of a single command come from the environment, which the mission does not choose. */
export function reachOf(situation: Situation, source: string, commands: readonly ShellCommand[]): Reach {
  const words = commands
    .flatMap(command => [...command.assignments, ...command.words])
    .map(({ value }) => value)
  const climbs = source.includes('..') || words.some(word => dotsInPieces.test(word))
  const roots = guardedRoots(situation)
  const absolutePaths = source.match(/(?<![\w.*?\]})$-])\/[\w./-]*/g) ?? []
  const namesParent = absolutePaths.some(path => roots.some(root => root.startsWith(path)))
  const isSingle = commands.length === 1 && commands[0]!.text.trim() === source.trim()
  const setsVariables = !isSingle || /(?<!\$)\{/.test(source) || words.some(word => /[;&|\n]/.test(word))
  return { climbs, leavesDirectory: climbs || (setsVariables && (namesParent || wayOut.test(source))) }
}

/** These only set variables or change the directory. */
const writesNothing = setOf('cd declare export local readonly set shift typeset unset')

/** Returns why a command that may write to one of these paths is asked about; null if it is not. */
export function guardedArguments(
  situation: Situation,
  words: readonly ShellWord[],
  directories: readonly (string | null)[],
  reach: Reach,
): string | null {
  const paths = writesNothing.has(words[0]?.value ?? '') ? [] : pathsIn(words.slice(1))
  if (paths === null) return 'it has too many arguments to check'
  if (words.some(word => /^(?:g?xargs|parallel)$/.test(baseName(word.value)))) paths.push(unknownText)
  const reasons = directories.flatMap(directory =>
    paths.map(path => guardedPath(situation, path, directory, reach)),
  )
  return reasons.find(reason => reason !== null) ?? null
}

/** A path that the shell completes is guarded if the part that is certain does not exclude a guarded place. */
export function guardedPath(
  situation: Situation,
  path: string,
  directory: string | null,
  reach: Reach,
): string | null {
  const certain = path.split(unknownText, 1)[0]!
  const isCompleted = certain !== path
  const isRelative = !/^(?:\/|~(?:\/|$))/.test(path)
  const mayBeAnywhere =
    (isRelative && directory === null) || (isCompleted && (certain === '' || reach.climbs))
  const uncertain = 'it may lead to the settings of agenc or Claude'
  if (/^~[^/]/.test(path) || (mayBeAnywhere && (reach.leavesDirectory || severalUnknowns.test(path))))
    return uncertain
  if (mayBeAnywhere) return null
  if (!isCompleted) {
    const places = placesFrom(situation, directory, path)
    return guardedPlace(situation, places) ?? holdsGuarded(situation, places)
  }
  const parent = certain.slice(0, certain.lastIndexOf('/') + 1)
  const starts = placesFrom(situation, directory, parent || '.').map(
    place => `${place.replace(/\/$/, '')}/${certain.slice(parent.length)}`,
  )
  const mayComplete = guardedRoots(situation).some(root => starts.some(start => root.startsWith(start)))
  return mayComplete ? uncertain : guardedPlace(situation, starts)
}

/** The mission's own directory lies in agenc's home, so a text may contain the path of that home harmlessly. */
export function guardedText({ request }: Situation, text: string): string | null {
  const { agencHome, claudeDirectory } = guardedDirectories(request)
  const rest = text
    .split(request.dir)
    .reduce((all, next) => all + (next.startsWith('/..') ? request.dir : '') + next)
  const hidden = basename(agencHome).startsWith('.') ? `/${basename(agencHome)}` : agencHome
  const named = [agencHome, hidden, claudeDirectory, '/.claude/settings', '.claude.json', 'AGENC_DIRPATH']
  const found = [...named, 'CLAUDE_CONFIG_DIR', '~/.claude', 'HOME/.claude', 'HOME}/.claude'].find(name =>
    rest.includes(name),
  )
  return found === undefined ? null : `it names ${found}, where agenc and Claude keep their settings`
}

function guardedDirectories({ agencHome, claudeDirectory, home = '/' }: Request) {
  return {
    agencHome: agencHome ?? join(home, '.agenc'),
    claudeDirectory: claudeDirectory ?? join(home, '.claude'),
  }
}

/** Returns why a command of tmux or agenc is asked about; null if there is none among these words. */
export function guardedProgram(words: readonly ShellWord[]): string | null {
  for (const [at, word] of words.entries()) {
    const name = baseName(word.value).replace(/\.c?js$/, '')
    if (name !== 'tmux' && name !== 'agenc') continue
    const rest = words.slice(at + 1)
    const isHarmless =
      rest.length === 0 ? at > 0 || name === 'agenc' : harmIn([literalWord(name), ...rest]) === null
    if (isHarmless && !(at > 0 && name === 'agenc' && steersMissions(rest))) continue
    return name === 'tmux'
      ? 'tmux commands can type into other windows'
      : 'this command of agenc could change what the mission may do'
  }
  return null
}

/** agenc judges these commands by the mission that asks. A program such as `setsid` before it could hide that one. */
function steersMissions(words: readonly ShellWord[]): boolean {
  const [noun, verb] = words.map(({ value }) => value)
  return /^(?:fork|new|resume|send)$/.test((noun === 'mission' ? verb : noun) ?? '')
}

/** A limit, because each path is looked up on the disk from every possible directory. */
const maxPaths = 500
/** The kernel refuses longer ones. */
const maxPathLength = 4096
/** A path may begin after one of these: `of=/x`, `@/x`, `a:/x`, `a,/x`. The `:` of a web address is not one. */
const pathSeparators = /[=@,]|:(?!\/\/)|(?<!\b(?:https?|ssh)):/g

/** Lists everything in these arguments that may be a path; null if there are too many. */
export function pathsIn(args: readonly ShellWord[]): string[] | null {
  const count = args.reduce((sum, { value }) => sum + value.split(pathSeparators).length, 0)
  if (count > maxPaths) return null
  return [...new Set(args.flatMap(({ value }) => pathsInWord(value)))].filter(
    path => path.length <= maxPathLength,
  )
}

function pathsInWord(text: string): string[] {
  const afterSeparators = [...text.matchAll(pathSeparators)].map(found => text.slice(found.index + 1))
  if (!text.startsWith('-')) return [text, ...afterSeparators]
  const joined = /[/~]|\.\./.exec(text)
  return [text.slice(2), ...(joined ? [text.slice(joined.index)] : []), ...afterSeparators]
}

/** The places that a path may lead to from a directory; none if the directory is not known. */
export function placesFrom(
  { request, resolvePath }: Situation,
  directory: string | null,
  path: string,
): string[] {
  const expanded = /^~(?:\/|$)/.test(path) ? join(request.home ?? '/', path.slice(1)) : path
  if (!isAbsolute(expanded) && directory === null) return []
  const absolute = isAbsolute(expanded) ? expanded : `${directory}/${expanded}`
  return [resolve(absolute), resolvePath(absolute), resolvePath(resolve(absolute))]
}
