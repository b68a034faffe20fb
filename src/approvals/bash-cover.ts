import { resolve } from 'node:path'
import { innerSpace, isLiteral, literalPrefix, matches } from './glob.ts'
import { noRule } from './judge.ts'
import type { Situation } from './rule.ts'
import type { Concern, ShellWord, SimpleCommand } from './shell/part.ts'
import { allowText, isKnown } from './shell/words.ts'

/** Null when an allow rule covers the command with everything that is risky about it. */
export function notCovered(
  situation: Situation,
  command: SimpleCommand,
  concerns: readonly Concern[],
  pattern: string,
  globs: readonly string[],
): string | null {
  const glob = globs.find(candidate => matchesStrictly(candidate, command))
  if (glob === undefined) return noRule
  if (pattern.includes('{dir}') && !command.words.slice(1).every(item => staysInside(situation, item))) {
    return "it reaches outside the mission's directory"
  }
  return uncovered(concerns, glob)?.why ?? null
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

function staysInside({ request, resolvePath }: Situation, item: ShellWord): boolean {
  if (!isKnown(item)) return false
  if (!/[/~]|^\.\.?$/.test(item.value)) return true
  const path = item.value.replace(/^-[^=/]*=?/, '')
  if (path.startsWith('~')) return false
  const root = resolvePath(request.dir)
  const absolute = path.startsWith('/') ? path : `${request.cwd}/${path}`
  return [absolute, resolve(absolute)]
    .map(resolvePath)
    .every(real => real === root || real.startsWith(`${root}/`))
}
