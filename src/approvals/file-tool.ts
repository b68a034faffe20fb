import { isAbsolute, join, normalize, resolve } from 'node:path'
import picomatch from 'picomatch'
import { judge, noRule } from './judge-rules.ts'
import { protectedIn } from './protected.ts'
import type { Judgement, Situation } from './rule.ts'
import { directoryTools, inputText, pathField, writingTools } from './tool.ts'

const strict = { dot: true, nonegate: true, windows: false }
const generous = { ...strict, nocase: true }

/** Decides about a file tool's request. */
export function judgeFileTool(situation: Situation): Judgement[] {
  const { tool, input, cwd } = situation.request
  const given = inputText(input, pathField(tool)!) || (directoryTools.has(tool) ? cwd : '')
  const paths = given === '' ? [] : [given, ...searchedElsewhere(situation, given)]
  if (paths.length === 0) return [judgeFile(situation, tool, null, 'no path')]
  return paths.map(path => judgeFile(situation, tool, path, path))
}

const patternFields: Record<string, string> = { Glob: 'pattern', Grep: 'glob' }

/** A search's own pattern can lead out of the directory that is searched, or to one place in it. */
function searchedElsewhere({ request }: Situation, directory: string): string[] {
  const pattern = inputText(request.input, patternFields[request.tool] ?? '') ?? ''
  const [fixed = ''] = pattern.split(/[*?[{(!@+]/, 1)
  const rest = pattern.slice(fixed.length)
  if (/\.\.|[{,(|][/~]/.test(rest)) return ['/']
  if (/^[/~]/.test(fixed)) return [fixed]
  const named = rest === '' || fixed.includes('..') ? fixed : fixed.slice(0, fixed.lastIndexOf('/') + 1)
  return named === '' ? [] : [join(directory, named)]
}

/** They lead each process somewhere else. */
const magicLink = /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:cwd|root|fd)(?:\/|$)/

/** Decides about one path; null stands for one that is not known. */
export function judgeFile(situation: Situation, tool: string, path: string | null, text: string): Judgement {
  if (path === null || magicLink.test(resolve(situation.request.cwd, path.trim()))) {
    return judge(situation, tool, {
      text,
      isMeant: () => false,
      mayBeMeant: () => true,
      notCovered: () => 'which file is meant is not known',
    })
  }
  const places = placesOf(situation, path)
  const spellings = [path, ...places].map(place => place.normalize('NFC').replaceAll('\n', ' '))
  return judge(situation, tool, {
    text,
    mayBeMeant: () => false,
    isMeant(pattern) {
      const globs = globsOf(situation, pattern).map(glob => picomatch(glob.normalize('NFC'), generous))
      return globs.some(isInside => spellings.some(place => isInside(place)))
    },
    notCovered(pattern) {
      const globs = globsOf(situation, pattern).map(glob => picomatch(glob, strict))
      if (!places.every(place => globs.some(isInside => isInside(place)))) return noRule
      const name = writingTools.has(tool) ? protectedName(situation, places) : null
      return name && !pattern.includes(name) ? `${name} can make other programs run commands` : null
    },
  })
}

/** Where a path may lead, also without the white space around it, which Claude's tools may drop. */
function placesOf(situation: Situation, path: string): string[] {
  const spellings = new Set([path, path.trim().normalize('NFC')])
  return [...new Set([...spellings].flatMap(spelling => placesAsSpelled(situation, spelling)))]
}

/** As spelled, and as the kernel would walk it before and after tidying it up. */
function placesAsSpelled({ request, resolvePath }: Situation, path: string): string[] {
  const expanded = path.startsWith('~/') && request.home ? [join(request.home, path.slice(2))] : []
  const absolute = isAbsolute(path) ? path : `${request.cwd}/${path}`
  const lexical = [resolve(absolute), ...expanded]
  return [...lexical, ...[absolute, ...lexical].map(resolvePath)]
}

function protectedName({ request, resolvePath }: Situation, places: readonly string[]): string | null {
  const dirs = [resolve(request.dir), resolvePath(request.dir)].map(dir => `${dir}/`)
  for (const place of places) {
    const dir = dirs.find(prefix => place.startsWith(prefix)) ?? ''
    const name = protectedIn(place.slice(dir.length))
    if (name !== null) return name
  }
  return null
}

function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{}()!+@|$^]/g, '\\$&')
}

/** A pattern with `{dir}` and `~` filled in; without a leading `/`, `~` or `**` it is meant inside the mission. */
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
