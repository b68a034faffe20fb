import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApprovalJson } from '../../src/commands/approvals/ls.ts'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { type SessionBox, sessionBox } from './session.ts'
import { waitFor } from './wait.ts'

export interface ApprovalBox extends SessionBox {
  id: string
  window: string
  /** Types a prompt and Enter. The prompt is also the model's script. */
  say(prompt: string): Promise<void>
  press(key: string): void
  screen(): string
  now(): MissionJson
  approvals(...args: string[]): ApprovalJson[]
  /** Waits until exactly this many requests are recorded and all are answered. */
  answered(count: number): Promise<ApprovalJson[]>
  /** Waits until a dialog is open, takes keys, and is known to the wrapper. */
  asked(): Promise<MissionJson>
  /** Waits until the mission is idle and no request is open. */
  settled(): Promise<MissionJson>
  writeConfig(config: object | string): void
  hasMade(name: string): boolean
  /** The wrapper's log. */
  log(): string
  /** The conversation as Claude stores it. */
  transcript(): string
}

/** A session with one blank mission. With the default settings, Claude asks the user about every request. */
export async function approvalBox(
  config: object = {},
  { box = sessionBox(), args = [] as string[] } = {},
): Promise<ApprovalBox> {
  const writeConfig = (next: object | string) => {
    const path = join(box.agencHome, 'config.json')
    writeFileSync(path, typeof next === 'string' ? next : JSON.stringify(next), { mode: 0o600 })
  }
  box.agenc(['config', 'set', 'tmux.return_to_parent', 'always'])
  allowBypass(box)
  writeConfig({ claude: { permission_mode: 'default' }, ...config })
  const first = await box.start()
  const { id: window, mission: id } = args.length > 0 ? await box.startFrom(first.id, ...args) : first
  const dir = join(box.agencHome, 'missions', id, 'agent')
  const approval: ApprovalBox = {
    ...box,
    id,
    window,
    writeConfig,
    say: async prompt => {
      await waitFor('the prompt', () => /^❯/m.test(approval.screen()))
      box.tmux('send-keys', '-t', window, '-l', prompt)
      const tail = withoutSpaces(prompt).slice(-12)
      await waitFor('the typed prompt', () => withoutSpaces(approval.screen()).includes(tail))
      box.tmux('send-keys', '-t', window, 'Enter')
    },
    press: key => void box.tmux('send-keys', '-t', window, key),
    screen: () => box.tmux('capture-pane', '-p', '-t', window),
    now: () => box.mission(id),
    approvals: (...more) => box.agencJson(['approvals', 'ls', ...more]),
    answered: count =>
      waitFor(`${count} answered requests`, () => {
        const rows = approval.approvals()
        return rows.length === count && rows.every(({ by }) => by !== null) && rows
      }),
    asked: async () => {
      await waitFor('a dialog on the screen', () => /❯ 1\. /.test(approval.screen()))
      return waitFor('the wrapper to know of the dialog', () => {
        const mission = approval.now()
        const [request] = mission.pending
        return mission.state === 'waiting' && request && takesKeys(request.since) && mission
      })
    },
    settled: () =>
      waitFor('the mission to be idle with no open request', () => {
        const mission = approval.now()
        return mission.state === 'idle' && mission.pending.length === 0 && mission
      }).catch(error => {
        throw new Error(`${error.message}\n${JSON.stringify(approval.now())}\n${approval.screen()}`)
      }),
    hasMade: name => existsSync(join(dir, name)),
    log: () => readFileSync(join(box.agencHome, 'missions', id, 'wrapper.log'), 'utf8'),
    transcript: () => readFileSync(transcriptOf(box, dir, id), 'utf8'),
  }
  return approval
}

/** Lets Claude start with bypassPermissions, without its warning and without its refusal to do so as root. */
function allowBypass(box: SessionBox): void {
  box.env.IS_SANDBOX = '1'
  const settings = { skipDangerousModePermissionPrompt: true }
  writeFileSync(join(box.home, '.claude', 'settings.json'), JSON.stringify(settings))
}

const ignoresKeysMs = 350

/** Claude's dialogs ignore keys for a moment after they open. */
function takesKeys(since: string): boolean {
  return Date.now() - Date.parse(since) > ignoresKeysMs
}

function withoutSpaces(text: string): string {
  return text.replace(/\s+/g, '')
}

function transcriptOf(box: SessionBox, dir: string, sessionId: string): string {
  const project = dir.replace(/[^a-zA-Z0-9]/g, '-')
  return join(box.home, '.claude', 'projects', project, `${sessionId}.jsonl`)
}

export function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}
