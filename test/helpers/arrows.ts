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

/** From the ground up. Who stands on one floor does not know each other, but for the ground itself. */
export const floors: readonly (readonly string[])[] = [
  ['errors.ts', 'version.ts', 'paths.ts', 'context.ts', 'exec', 'io'],
  ['config', 'process'],
  ['mission'],
  ['approvals', 'claude', 'db', 'editor', 'help', 'repo', 'tmux'],
  ['completion', 'roster', 'workspace'],
  ['setup', 'wrapper'],
  ['demo', 'doctor', 'launch'],
  ['commands'],
  ['cli.ts', 'complete.ts', 'plain.ts'],
  ['main.ts'],
  ['start.ts'],
]

/** `src/db/open.ts` is in `db`, `src/main.ts` in `main.ts`. */
export function roomOf(path: string): string | undefined {
  return path.startsWith('src/') ? path.split('/')[1] : undefined
}

/** Why this import must not be; undefined when it may. */
export function arrowProblem({ from, to, isType }: Import): string | undefined {
  const [room, target] = [roomOf(from), roomOf(to)]
  if (room === undefined || target === undefined || room === target) return undefined
  // A mission's directory is named by its id, and an id is only a kind of text.
  if (isType && from === 'src/paths.ts' && to === 'src/mission/id.ts') return undefined
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
