import { isAbsolute, resolve } from 'node:path'
import type { Directories } from './bash-directory.ts'
import { innerSpace, isLiteral, literalPrefix, matches } from './glob.ts'
import { noRule } from './judge-rules.ts'
import type { Situation } from './rule.ts'
import type { Concern, ShellWord, SimpleCommand } from './shell/part.ts'
import { allowText, isKnown } from './shell/words.ts'

export interface PlacedCommand {
  situation: Situation
  command: SimpleCommand
  directories: Directories
  concerns: readonly Concern[]
}

/** Null when an allow rule covers the command with everything that is risky about it. */
export function notCovered(placed: PlacedCommand, pattern: string, globs: readonly string[]): string | null {
  const glob = globs.find(candidate => matchesStrictly(candidate, placed.command))
  if (glob === undefined) return noRule
  if (pattern.includes('{dir}') && !staysInside(placed)) {
    return "it reaches outside the mission's directory"
  }
  return uncovered(placed.concerns, glob)?.why ?? null
}

function matchesStrictly(glob: string, command: SimpleCommand): boolean {
  const assigned = command.assignments.map(item => item.value.replace(/\s/g, innerSpace))
  if (matches(glob, [...assigned, allowText(command.words)].join(' '))) return true
  const { outer } = command
  return outer !== undefined && matches(glob, outer.text) && literalPrefix(glob).length >= outer.upTo
}

/** The first concern that no word of the pattern names; each word names one. */
function uncovered(concerns: readonly Concern[], glob: string): Concern | undefined {
  const certain = concerns.find(concern => concern.certainAsk)
  if (certain || isLiteral(glob)) return certain
  const unused = glob.trim().split(/\s+/)
  return concerns.find(concern => {
    const at = unused.findIndex(token => isNamed(concern, token))
    if (at >= 0) unused.splice(at, 1)
    return at < 0
  })
}

function isNamed(concern: Concern, token: string): boolean {
  const named = concern.names.some(name => {
    const next = token[name.length] ?? ' '
    return name !== '' && token.startsWith(name) && (name.endsWith('=') || !/[\w-]/.test(next))
  })
  return named && matches(token, concern.word.replace(/\s/g, innerSpace))
}

/** Whatever in the command can be a path leads into the mission's directory, wherever the command may run. */
function staysInside({ situation, command, directories }: PlacedCommand): boolean {
  const { request, resolvePath } = situation
  const root = resolvePath(request.dir)
  const isInside = (path: string) =>
    [path, resolve(path)].map(resolvePath).every(real => real === root || real.startsWith(`${root}/`))
  const staysFrom = (directory: string | null, path: string) => {
    if (isAbsolute(path)) return isInside(path)
    return directory !== null && !path.startsWith('~') && isInside(`${directory}/${path}`)
  }
  const args = command.words.slice(1)
  if (!args.every(isKnown) || possiblePaths(args) > maxPaths) return false
  const paths = [...new Set(args.flatMap(item => pathsIn(item.value)))]
  return directories.every(place => paths.every(path => staysFrom(place, path)))
}

/** Each is looked up on the disk, from every directory. */
const maxPaths = 500

function possiblePaths(args: readonly ShellWord[]): number {
  return args.reduce((sum, { value }) => sum + value.split(separators).length, 0)
}

/** Behind these a path may begin: `of=/x`, `@/x`, `a:/x`, `a,/x`; an address of the web is none. */
const separators = /[=@,]|:(?!\/\/)|(?<!\b(?:https?|ssh)):/g

function pathsIn(text: string): string[] {
  const behind = [...text.matchAll(separators)].map(found => text.slice(found.index + 1))
  if (!text.startsWith('-')) return [text, ...behind]
  const joined = /[/~]|\.\./.exec(text)
  return [text.slice(2), ...(joined ? [text.slice(joined.index)] : []), ...behind]
}
