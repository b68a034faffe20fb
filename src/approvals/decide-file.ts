import { join, normalize, resolve } from 'node:path'
import picomatch from 'picomatch'
import { applyRules, noRuleMatches, type Subject, type ToolNames } from './apply-rules.ts'
import type { ExplainedVerdict, Situation } from './rule.ts'
import { guardedPlace, placesFrom } from './self-defence.ts'
import { directoryTools, inputText, pathField, toolNames } from './tool-input.ts'

const strict = { dot: true, nonegate: true, windows: false }
const loose = { ...strict, nocase: true }

/** Decides about a request of a file tool such as Write, Read or Grep. */
export function decideFileTool(situation: Situation): ExplainedVerdict[] {
  const { tool, input, cwd } = situation.request
  const given = inputText(input, pathField(tool)!) || (directoryTools.has(tool) ? cwd : '')
  const paths = given === '' ? [] : [given, ...pathsInSearchPattern(situation, given)]
  if (paths.length === 0) return [decidePath(situation, toolNames(tool), null, { text: 'no path' })]
  return paths.map(path => decidePath(situation, toolNames(tool), path, { text: path }))
}

const patternFields: Record<string, string> = { Glob: 'pattern', Grep: 'glob' }

/** The pattern of a search can lead out of the searched directory, or name one place inside it. */
function pathsInSearchPattern({ request }: Situation, directory: string): string[] {
  const pattern = inputText(request.input, patternFields[request.tool] ?? '') ?? ''
  const [fixed = ''] = pattern.split(/[*?[{(!@+]/, 1)
  const rest = pattern.slice(fixed.length)
  if (/\.\.|[{,(|][/~]/.test(rest)) return ['/']
  if (/^[/~]/.test(fixed)) return [fixed]
  const named = rest === '' || fixed.includes('..') ? fixed : fixed.slice(0, fixed.lastIndexOf('/') + 1)
  return named === '' ? [] : [join(directory, named)]
}

/** Links that lead to a different place for each process that follows them. */
const magicLink = /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:cwd|root|fd)(?:\/|$)/

/** Decides about one path; null stands for an unknown path. */
export function decidePath(
  situation: Situation,
  tools: ToolNames,
  path: string | null,
  about: Pick<Subject, 'text' | 'guard' | 'needsNoRule'>,
): ExplainedVerdict {
  if (path === null || magicLink.test(resolve(situation.request.cwd, path.trim()))) {
    return applyRules(situation, tools, {
      ...about,
      matchesLoosely: () => false,
      mightMatch: () => true,
      whyNotCovered: () => 'it is not certain which file is meant',
    })
  }
  const places = placesOf(situation, path)
  const isWrite = tools.restricting.includes('Write')
  const guarded = isWrite ? guardedPlace(situation, places) : null
  const spellings = [path, ...places].map(place => place.normalize('NFC').replaceAll('\n', ' '))
  return applyRules(situation, tools, {
    ...about,
    mightMatch: () => false,
    matchesLoosely(pattern) {
      const globs = globsOf(situation, pattern).map(glob => picomatch(glob.normalize('NFC'), loose))
      return globs.some(isMatch => spellings.some(place => isMatch(place)))
    },
    whyNotCovered(pattern) {
      const globs = globsOf(situation, pattern).map(glob => picomatch(glob, strict))
      if (!places.every(place => globs.some(isMatch => isMatch(place)))) return noRuleMatches
      const name = isWrite ? protectedName(situation, places) : null
      return name && !pattern.includes(name)
        ? `writing to ${name} can make other programs run commands`
        : null
    },
    guard:
      guarded === null
        ? null
        : { reason: guarded, isNamedBy: pattern => namesGuarded(situation, pattern, places) },
  })
}

/** Every place the path may lead to. Claude's tools may drop white space around a path, and may not expand `~`. */
function placesOf(situation: Situation, path: string): string[] {
  const spellings = [path, path.trim().normalize('NFC')].flatMap(text =>
    text.startsWith('~') ? [text, `./${text}`] : text,
  )
  return [...new Set(spellings.flatMap(text => placesFrom(situation, situation.request.cwd, text)))]
}

/** Files that make a later, harmless-looking command run something else. A rule has to name them. */
const protectedNames = new Set(
  `.git .gitmodules .gitconfig .claude .claude.json .mcp.json .husky .vscode .idea .envrc .ssh .bashrc
  .bash_profile .bash_login .profile .zshrc .zshenv .zprofile .zlogin .config`.split(/\s+/),
)

export function protectedName({ request, resolvePath }: Situation, places: readonly string[]): string | null {
  const dirs = [resolve(request.dir), resolvePath(request.dir)].map(dir => `${dir}/`)
  for (const place of places) {
    const dir = dirs.find(prefix => place.startsWith(prefix)) ?? ''
    const name = place
      .slice(dir.length)
      .split('/')
      .find(item => protectedNames.has(item.toLowerCase()))
    if (name !== undefined) return name
  }
  return null
}

/** True if the pattern covers the places, and would be guarded even without its wildcards. */
function namesGuarded(situation: Situation, pattern: string, places: readonly string[]): boolean {
  const globs = globsOf(situation, pattern)
  const isNamed = globs.some(glob => guardedPlace(situation, [picomatch.scan(glob).base]) !== null)
  return isNamed && places.every(place => globs.some(glob => picomatch(glob, strict)(place)))
}

function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{}()!+@|$^]/g, '\\$&')
}

/** Fills in `{dir}` and `~`. A pattern without a leading `/`, `~` or `**` is relative to the mission's directory. */
function globsOf({ request, resolvePath }: Situation, pattern: string): string[] {
  const home = request.home
  const rooted = /^(?:\/|\{dir\}|\*\*|~)/.test(pattern) ? pattern : `{dir}/${pattern}`
  if (rooted.includes('{dir}')) {
    const dirs = new Set([resolve(request.dir), resolvePath(request.dir)])
    return [...dirs].map(dir => normalize(rooted.replaceAll('{dir}', () => escapeGlob(dir))))
  }
  const absolute = home && /^~(?:\/|$)/.test(rooted) ? escapeGlob(home) + rooted.slice(1) : rooted
  const { base } = picomatch.scan(absolute)
  if (!base.startsWith('/') || base === '/' || !absolute.startsWith(base)) return [normalize(absolute)]
  const real = escapeGlob(resolvePath(base)) + absolute.slice(base.length)
  return [...new Set([normalize(absolute), normalize(real)])]
}
