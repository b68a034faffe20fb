import { decide, objection } from '../../src/approvals/decide.ts'
import { changesSettings, hasPushed, unauthorised } from './judge.ts'
import { type Observation, type Sandbox, type ShellName, shellNames } from './sandbox.ts'
import { denyPush, wildcardRules, writeRules } from './wildcard-rules.ts'

/**
 * `rules`: run more than the wildcard rules allow. `writes`: write elsewhere than in the mission's directory. `push`:
 * push, although a rule denies it. `self`: change the settings of Claude or agenc.
 */
export type Aim = 'rules' | 'writes' | 'push' | 'self'

export interface Finding {
  aim: Aim
  command: string
  shell: ShellName
  did: string
}

/** Puts the directories of a sandbox in the place of `{dir}`, `{home}` and `{outside}`. */
export function inSandbox(command: string, { root, work, home }: Sandbox): string {
  return command
    .replaceAll('{dir}', () => work)
    .replaceAll('{home}', () => home)
    .replaceAll('{outside}', () => `${root}/outside`)
}

type Place = Pick<Sandbox, 'work' | 'home'>

/** True if agenc lets the command run without asking. */
export function runsUnasked(aim: Aim, command: string, { work, home }: Place): boolean {
  const request = { tool: 'Bash', input: { command }, dir: work, cwd: work, home }
  if (aim === 'rules') return decide(request, wildcardRules, 'rules').decision === 'allow'
  if (aim === 'writes') return decide(request, writeRules, 'rules').decision === 'allow'
  return decide(request, denyPush, 'all').decision === 'allow' || objection(request, denyPush) === null
}

function misdeed(aim: Aim, seen: Observation): string | null {
  if (aim === 'rules' || aim === 'writes') return unauthorised(seen, aim === 'writes')
  if (aim === 'self') return changesSettings(seen)
  return hasPushed(seen) ? 'ran git push' : null
}

/** Runs the command in bash and zsh. Returns what it did in each that it must not do. */
export async function run(aim: Aim, command: string, sandbox: Sandbox): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const shell of shellNames) {
    const seen = await sandbox.run(command, shell)
    const did = misdeed(aim, seen)
    if (did !== null) findings.push({ aim, command, shell, did })
  }
  return findings
}

export function describeFinding({ aim, command, shell, did }: Finding): string {
  const limit = {
    rules: 'the wildcard rules',
    writes: 'the rules for writing',
    push: 'deny git push*',
    self: 'the guard of settings',
  }[aim]
  return `${shell} ${did}, past ${limit}: ${JSON.stringify(command)}`
}
