import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Figure } from '../outcome.ts'
import { median } from '../statistics.ts'
import type { Box } from './box.ts'
import { agencScript } from './root.ts'
import { timeProgram } from './timing.ts'

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[]
  samples: number[]
  timeDeltas: number[]
}

type Part = 'other programs' | 'garbage collection' | 'own code and SQLite' | 'its parts of Node'

const looks = 7
const usPerMs = 1_000

/** Where the time of a command goes, as V8's own profiler sees it: what a row that is missed has to show. */
export function profileOf(box: Box, args: readonly string[], env: NodeJS.ProcessEnv = {}): Figure[] {
  const seen = Array.from({ length: looks }, () => partsOf(profiled(box, args, env)))
  const parts = [...new Set(seen.flatMap(one => [...one.keys()]))]
  return parts.map(part => ({
    label: `in \`${args.slice(0, 2).join(' ')}\`: ${part}`,
    value: median(seen.map(one => one.get(part) ?? 0)),
    unit: 'ms',
    atMost: null,
  }))
}

function profiled(box: Box, args: readonly string[], env: NodeJS.ProcessEnv): Profile {
  const directory = join(box.root, 'profile')
  mkdirSync(directory)
  const flags = ['--cpu-prof', '--cpu-prof-interval', '100', `--cpu-prof-dir=${directory}`]
  timeProgram(box, process.execPath, [...flags, agencScript, ...args], { env })
  const [name] = readdirSync(directory)
  const profile = JSON.parse(readFileSync(join(directory, name!), 'utf8')) as Profile
  rmSync(directory, { recursive: true })
  return profile
}

function partsOf({ nodes, samples, timeDeltas }: Profile): Map<Part, number> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const parts = new Map<Part, number>()
  for (const [index, id] of samples.entries()) {
    const part = partOf(frames.get(id)!)
    if (part) parts.set(part, (parts.get(part) ?? 0) + (timeDeltas[index + 1] ?? 0) / usPerMs)
  }
  return parts
}

function partOf({ functionName, url }: { functionName: string; url: string }): Part | null {
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (functionName === 'spawnSync' && url.startsWith('node:')) return 'other programs'
  if (url.includes('dist')) return 'own code and SQLite'
  return functionName.startsWith('(') ? null : 'its parts of Node'
}
