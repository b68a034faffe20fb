import type { Observation } from './sandbox.ts'
import { rightsOf } from './wildcard-rules.ts'

/** These only start another command, which is recorded too. agenc may look through them. */
const launchers = new Set([
  'bash',
  'env',
  'nice',
  'nohup',
  'setsid',
  'sh',
  'stdbuf',
  'time',
  'timeout',
  'xargs',
  'zsh',
])

/** The programs named evil in the sandbox's repo make this file. */
const evilTrace = 'home/evil-ran'

/** Says what a command did that no rule allows. Returns null if it did only what the wildcard rules allow. */
export function unauthorised({ ran, changed }: Observation, hasWriteRule = false): string | null {
  const rights = ran.map(rightsOf)
  const runsRepo = ran.some(([program]) => program === 'make' || program === 'npm')
  const other = ran.find(
    ([program], at) =>
      rights[at] === null && !launchers.has(program!) && !(program === 'repo-script' && runsRepo),
  )
  if (other) return `ran ${other.join(' ')}`
  const mayWrite = rights.includes('write')
  const isAllowed = (name: string) => {
    if (name.startsWith('work/.git/') || name === evilTrace) return false
    return hasWriteRule ? name.startsWith('work/') : mayWrite
  }
  const written = changed.find(name => !isAllowed(name))
  return written === undefined ? null : `changed ${written}`
}

const gitOptionsWithValue = new Set([
  '-c',
  '-C',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--config-env',
])

function subcommand(args: readonly string[]): string | undefined {
  let at = 0
  while (args[at]?.startsWith('-')) at += gitOptionsWithValue.has(args[at]!) ? 2 : 1
  return args[at]
}

/** True if git was told to push, or did so. */
export function hasPushed({ ran }: Observation): boolean {
  return ran.some(
    ([program, ...args]) => program === 'git' && (args[0] === 'received' || subcommand(args) === 'push'),
  )
}

/** Says which file of Claude's or agenc's settings was changed. Returns null if none was. */
export function changesSettings({ changed }: Observation): string | null {
  const file = changed.find(name => /^home\/\.(?:claude|agenc)(?:\/|$)/.test(name))
  return file === undefined ? null : `changed ${file}`
}
