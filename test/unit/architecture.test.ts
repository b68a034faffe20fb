import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { dialogTools } from '../../src/claude/hook-report.ts'
import { knownSince } from '../../src/claude/known-hook-events.ts'
import {
  arrowProblem,
  type Import,
  importsOf,
  readSources,
  type SourceFile,
  standInBreach,
} from '../helpers/arrows.ts'
import { projectRoot } from '../helpers/cli.ts'

const sources = readSources(projectRoot, 'src')
const standIn = readSources(projectRoot, 'stand-in')

function brokenArrows(files: readonly SourceFile[]): string[] {
  return files
    .flatMap(importsOf)
    .map(found => ({ found, problem: arrowProblem(found) }))
    .filter(({ problem }) => problem !== undefined)
    .map(({ found, problem }) => `${found.from} → ${found.to}: ${problem}`)
}

test('arrows point one way', () => {
  expect(sources.length).toBeGreaterThan(100)
  expect(brokenArrows(sources)).toEqual([])
})

test.each([
  ['src/claude/x.ts', "import { x } from '../tmux/tmux.ts'", 'claude and tmux do not know each other'],
  ['src/db/x.ts', "import type { Tmux } from '../tmux/tmux.ts'", 'db is below tmux'],
  ['src/wrapper/x.ts', "import x from '../commands/config/ls.ts'", 'wrapper is below commands'],
  ['src/wrapper/x.ts', "await import('../commands/config/ls.ts')", 'wrapper is below commands'],
  ['src/io/x.ts', "export * from '../db/open.ts'", 'io is below db'],
  ['src/io/x.ts', "import '../mission/id.ts'", 'io is below mission'],
  ['src/mission/x.ts', "import { a } from '../cabinet/x.ts'", 'cabinet has no floor: give it one in floors'],
])('%s with %j is found', (path, text, problem) => {
  expect(brokenArrows([{ path, text }])).toEqual([expect.stringContaining(problem)])
})

test('the stand-in and src do not import each other', () => {
  expect(standIn.length).toBeGreaterThan(20)
  expect([...sources, ...standIn].flatMap(importsOf).filter(standInBreach)).toEqual([])
})

test.each([
  ['stand-in/x.ts', "import {\n  a,\n} from '../src/io/text.ts'"],
  ['stand-in/x.ts', "import type { A } from '../src/context.ts'"],
  ['src/demo/x.ts', "await import('../../stand-in/script.ts')"],
])('the import in %s is reported: %j', (path, text) => {
  expect(importsOf({ path, text }).filter(standInBreach)).toHaveLength(1)
})

test('nothing imports itself in a circle when it runs', () => {
  expect(circleIn(sources)).toBeUndefined()
  expect(circleIn(standIn)).toBeUndefined()
  expect(
    circleIn([
      { path: 'src/a.ts', text: "import { b } from './b.ts'" },
      { path: 'src/b.ts', text: "import { a } from './a.ts'" },
    ]),
  ).toEqual(['src/a.ts', 'src/b.ts', 'src/a.ts'])
})

function circleIn(files: readonly SourceFile[]): string[] | undefined {
  const targets = new Map(files.map(file => [file.path, importsOf(file).filter(isAtStart)]))
  const done = new Set<string>()
  const visit = (path: string, trail: string[]): string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (done.has(path)) return undefined
    for (const { to } of targets.get(path) ?? []) {
      const circle = visit(to, [...trail, path])
      if (circle) return circle
    }
    done.add(path)
    return undefined
  }
  return files.map(({ path }) => visit(path, [])).find(circle => circle !== undefined)
}

function isAtStart({ isType }: Import): boolean {
  return !isType
}

function filesWith(pattern: RegExp): string[] {
  return sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
}

test('the process is ended in one place', () => {
  expect(filesWith(/\bprocess\.(exit|abort|reallyExit)\(/)).toEqual(['src/main.ts'])
  expect(filesWith(/\bprocess\.kill\(process\.pid\b/)).toEqual(['src/system/signals.ts'])
})

test('other programs are started in one place, and never through a shell', () => {
  const starters = sources
    .flatMap(importsOf)
    .filter(({ to, isType }) => /^(node:)?child_process$|^execa$/.test(to) && !isType)
    .map(({ from }) => from)
  const late = filesWith(/getBuiltinModule\('node:child_process'\)/)
  expect([...starters, ...late].sort()).toEqual(['src/system/runner.ts', 'src/system/stream.ts'])
  expect(filesWith(/\bshell:\s*true|\bexecSync\(/)).toEqual([])
})

test('a command is loaded only when it is named', () => {
  const registry = sources.find(({ path }) => path === 'src/commands/registry.ts')!
  expect(
    importsOf(registry).filter(({ to, isType }) => !isType && !registry.text.includes(dynamic(to))),
  ).toEqual([])
})

function dynamic(path: string): string {
  return `import('./${path.replace('src/commands/', '')}')`
}

test('names say what a file is about', () => {
  expect(
    sources.map(({ path }) => path).filter(path => /\b(utils?|helpers?|misc|common)\b/.test(path)),
  ).toEqual([])
})

test('only src/tmux runs the program tmux', () => {
  const runners = filesWith(/\b(capture|start|stream)\(\s*'tmux'/)
  expect(runners.filter(path => !path.startsWith('src/tmux/'))).toEqual([])
})

test('the wrapper knows no word of Claude’s: no hook, no dialog tool, no status', () => {
  const words = [
    ...Object.keys(knownSince),
    ...Object.keys(dialogTools),
    ...['permission prompt', 'input needed', 'hook_event_name', 'hookSpecificOutput'],
  ]
  // `Stop` is also an English word, so words are looked for as the code would use them: in quotes, or as a name.
  const names = words.filter(word => /[a-z][A-Z]|_| /.test(word))
  const pattern = new RegExp(`\\b(${names.join('|')})\\b|['"\`](${words.join('|')})['"\`]`)
  const wrapper = sources.filter(({ path }) => path.startsWith('src/wrapper/'))
  expect(wrapper.length).toBeGreaterThan(20)
  expect(wrapper.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([])
})

test('commands change missions and repos only through their services', () => {
  const writing =
    /\b(insert|update|delete|set)(Mission|Repo|Request)\w*\b|\brecordEvent\b|\blinkPlan\b|\babandonRequests\b|\.transaction\(/
  const commands = sources.filter(({ path }) => path.startsWith('src/commands/'))
  expect(commands.filter(({ text }) => writing.test(text)).map(({ path }) => path)).toEqual([])
})

test('no two files share a name by accident', () => {
  // A verb of two nouns, or a room and the command that shows it, is the same thing in two places.
  const names = sources
    .filter(({ path }) => !path.startsWith('src/commands/'))
    .map(({ path }) => basename(path))
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})
