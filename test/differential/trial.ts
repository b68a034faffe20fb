import { decide, objection } from '../../src/approvals/decide.ts'
import { hasPushed, unauthorised } from './judge.ts'
import { type Sandbox, type ShellName, shellNames } from './sandbox.ts'
import { denyPush, wildcardRules } from './wildcard-rules.ts'

/** `rules`: run more than the wildcard rules allow. `push`: push, although a rule denies it. */
export type Aim = 'rules' | 'push'

export interface Finding {
  aim: Aim
  command: string
  shell: ShellName
  did: string
}

/** Puts the directories of a sandbox in the place of `{dir}` and `{outside}`. */
export function inSandbox(command: string, { root, work }: Sandbox): string {
  return command.replaceAll('{dir}', () => work).replaceAll('{outside}', () => `${root}/outside`)
}

type Place = Pick<Sandbox, 'work' | 'home'>

/** True if agenc lets the command run without asking. */
export function runsUnasked(aim: Aim, command: string, { work, home }: Place): boolean {
  const request = { tool: 'Bash', input: { command }, dir: work, cwd: work, home }
  if (aim === 'rules') return decide(request, wildcardRules, 'rules').decision === 'allow'
  return decide(request, denyPush, 'all').decision === 'allow' || objection(request, denyPush) === null
}

/** Runs the command in bash and zsh. Returns what it did in each that it must not do. */
export async function run(aim: Aim, command: string, sandbox: Sandbox): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const shell of shellNames) {
    const seen = await sandbox.run(command, shell)
    const did = aim === 'rules' ? unauthorised(seen) : hasPushed(seen) ? 'ran git push' : null
    if (did !== null) findings.push({ aim, command, shell, did })
  }
  return findings
}

export function describeFinding({ aim, command, shell, did }: Finding): string {
  const limit = aim === 'rules' ? 'the wildcard rules' : 'deny git push*'
  return `${shell} ${did}, past ${limit}: ${JSON.stringify(command)}`
}
