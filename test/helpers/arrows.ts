import { readdirSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'

export interface SourceFile {
  /** Relative to the project's root, such as `src/db/open-store.ts`. */
  path: string
  text: string
}

export interface Import {
  from: string
  /** A path relative to the root, or the name of a package. */
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

/** From the ground up. Rooms on the same floor do not import each other, except on the ground floor. */
export const floors: readonly (readonly string[])[] = [
  ['errors.ts', 'version.ts', 'paths.ts', 'context.ts', 'mission-id.ts', 'io', 'system'],
  ['config'],
  ['db'],
  ['approvals', 'claude', 'editor', 'repo', 'tmux'],
  ['mission'],
  ['git-work'],
  ['surface'],
  ['wrapper'],
  ['loop'],
  ['cli'],
  ['demo', 'doctor', 'setup'],
  ['commands'],
  ['main.ts'],
]

/** `src/db/open-store.ts` is in the room `db`, `src/main.ts` in `main.ts`. */
export function roomOf(path: string): string | undefined {
  return path.startsWith('src/') ? path.split('/')[1] : undefined
}

/** Says why this import is forbidden. Returns undefined if it is allowed. */
export function arrowProblem({ from, to }: Import): string | undefined {
  const [room, target] = [roomOf(from), roomOf(to)]
  if (room === undefined || target === undefined || room === target) return undefined
  const [own, other] = [floorOf(room), floorOf(target)]
  if (own < 0 || other < 0) return `${own < 0 ? room : target} has no floor: give it one in floors`
  if (other < own || own === 0) return other <= own ? undefined : `${room} is below ${target}`
  return other === own ? `${room} and ${target} do not know each other` : `${room} is below ${target}`
}

function floorOf(room: string): number {
  return floors.findIndex(floor => floor.includes(room))
}

/** The stand-in plays Claude, so it must share no code with the program that is tested against it. */
export function standInBreach({ from, to }: Import): boolean {
  const roots = new Set([rootOf(from), rootOf(to)])
  return roots.has('src') && roots.has('stand-in')
}

function rootOf(path: string): string {
  return path.split('/')[0]!
}
