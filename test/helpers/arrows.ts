import { readdirSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'

export interface SourceFile {
  /** Below the project's root, as in `src/db/open.ts`. */
  path: string
  text: string
}

export interface Import {
  from: string
  /** A path below the root, or a package's name. */
  to: string
  isType: boolean
}

export function readSources(root: string, directory: string): SourceFile[] {
  return readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => join(directory, name))
    .map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

const statement = /^(?:import|export)\s+(type\s)?(?:[\w*{}\s,$]+\sfrom\s+)?'([^']+)'/gm
const expression = /(typeof\s+)?import\(\s*'([^']+)'\s*\)/g

export function importsOf({ path, text }: SourceFile): Import[] {
  return [...text.matchAll(statement), ...text.matchAll(expression)].map(([, type, target]) => ({
    from: path,
    to: target!.startsWith('.') ? normalize(join(path, '..', target!)) : target!,
    isType: type !== undefined,
  }))
}

/** From the ground up. Rooms on one floor do not know each other, except on the ground. */
export const floors: readonly (readonly string[])[] = [
  ['errors.ts', 'version.ts', 'paths.ts', 'context.ts', 'mission-id.ts', 'io', 'system'],
  ['config'],
  ['db'],
  ['approvals', 'claude', 'editor', 'repo', 'tmux'],
  ['mission'],
  ['surface'],
  ['wrapper'],
  ['cli'],
  ['demo', 'doctor', 'setup'],
  ['commands'],
  ['main.ts'],
]

/** `src/db/open.ts` is in `db`, `src/main.ts` in `main.ts`. */
export function roomOf(path: string): string | undefined {
  return path.startsWith('src/') ? path.split('/')[1] : undefined
}

/** Why this import must not be; undefined when it may. */
export function arrowProblem({ from, to }: Import): string | undefined {
  const [room, target] = [roomOf(from), roomOf(to)]
  if (room === undefined || target === undefined || room === target) return undefined
  if (room === 'stand-in') return floorOf(target) === 0 ? undefined : `the stand-in must not know ${target}`
  const [own, other] = [floorOf(room), floorOf(target)]
  if (own < 0 || other < 0) return `${own < 0 ? room : target} has no floor: give it one in floors`
  if (other < own || own === 0) return other <= own ? undefined : `${room} is below ${target}`
  return other === own ? `${room} and ${target} do not know each other` : `${room} is below ${target}`
}

function floorOf(room: string): number {
  return floors.findIndex(floor => floor.includes(room))
}
