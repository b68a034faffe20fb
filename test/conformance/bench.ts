import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ClaudeHome, seedClaudeHome } from '../helpers/real-claude.ts'
import { type HookEvent, HookLog } from './hook-log.ts'
import { type Status, StatusRecorder } from './status-recorder.ts'
import { type Ending, Terminal } from './terminal.ts'

export interface Program {
  name: string
  path: string
}

export interface BenchOptions {
  trusted?: boolean
}

export interface StartOptions {
  env?: Record<string, string>
  cwd?: string
  /** A file to be the program's stdin. */
  stdin?: string
}

const waitTimeoutMs = 20_000
const lookAgainMs = 15
const dialogDeafMs = 350

/** One program in a private home and working directory, with every hook recorded. */
export class Bench {
  readonly root: string
  readonly cwd: string
  readonly claude: ClaudeHome
  readonly sessionId: string = randomUUID()
  readonly terminals: Terminal[] = []
  readonly hooks: HookLog
  private readonly program: Program
  private readonly recorder: StatusRecorder

  private constructor(program: Program, root: string, claude: ClaudeHome, recorder: StatusRecorder) {
    this.program = program
    this.root = root
    this.cwd = join(root, 'proj.one')
    this.claude = claude
    this.recorder = recorder
    this.hooks = new HookLog(root)
  }

  static async open(program: Program, baseUrl: string, options: BenchOptions = {}): Promise<Bench> {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'agenc-conform-')))
    const cwd = join(root, 'proj.one')
    mkdirSync(cwd)
    mkdirSync(join(root, 'tmp'))
    const claude = seedClaudeHome(join(root, 'home'), options.trusted === false ? [] : [cwd], baseUrl)
    return new Bench(program, root, claude, await StatusRecorder.open(join(claude.config, 'sessions')))
  }

  get statuses(): Status[] {
    return this.recorder.statuses
  }

  get status(): Status | undefined {
    return this.statuses.at(-1)
  }

  start(args: readonly string[], options: StartOptions = {}): Terminal {
    const command = [this.program.path, ...args]
    const shell = ['/bin/sh', '-c', 'exec "$@" <"$0"', options.stdin ?? '']
    const [file, ...rest] = options.stdin === undefined ? command : [...shell, ...command]
    const temporary = join(this.root, 'tmp')
    const env = { ...this.claude.env, TMPDIR: temporary, CLAUDE_CODE_TMPDIR: temporary, ...options.env }
    const terminal = new Terminal({ file: file!, args: rest, cwd: options.cwd ?? this.cwd, env })
    this.terminals.push(terminal)
    return terminal
  }

  /** The usual start: a known session id, manual mode, every hook recorded. */
  async ready(args: readonly string[] = []): Promise<Terminal> {
    const usual = ['--session-id', this.sessionId, '--permission-mode', 'manual']
    const terminal = this.start([...usual, '--settings', this.hooks.settings(), ...args])
    await this.untilReady(terminal)
    return terminal
  }

  events(): HookEvent[] {
    return this.hooks.events()
  }

  async untilEvent(name: string, count = 1): Promise<void> {
    const seen = () => this.events().filter(event => event.hook_event_name === name).length
    await this.until(() => seen() >= count, `${count} × ${name}`)
  }

  async untilScreen(terminal: Terminal, pattern: RegExp): Promise<void> {
    await this.until(() => pattern.test(terminal.screen()), `screen ${pattern}`)
  }

  /** A dialog is deaf for its first moments, so what it shows is not enough. */
  async untilDialog(terminal: Terminal, pattern: RegExp): Promise<void> {
    await this.untilScreen(terminal, pattern)
    await sleep(dialogDeafMs)
  }

  async untilStatus(status: string): Promise<void> {
    await this.until(() => this.status?.status === status, `status ${status}`)
  }

  /** Claude takes text before it takes Enter, so the prompt must be drawn and the session idle. */
  async untilReady(terminal: Terminal): Promise<void> {
    await this.untilScreen(terminal, /^❯\u00a0/m)
    await this.until(
      () => this.status?.pid === terminal.pid && this.status.status === 'idle',
      'an idle session',
    )
  }

  async untilGone(pid: number): Promise<void> {
    await this.until(() => !isRunning(pid), `the end of ${pid}`)
  }

  /** Pasted: text that comes at once is taken for a paste anyway, and an Enter right behind it for a new line. */
  async say(terminal: Terminal, prompt: string): Promise<void> {
    terminal.send(`\u001b[200~${prompt}\u001b[201~`)
    const tail = squeeze(prompt).slice(-12)
    await this.until(() => squeeze(terminal.screen()).includes(tail), `typed ${tail}`)
    terminal.send('\r')
  }

  async until(condition: () => boolean, what: string): Promise<void> {
    for (const deadline = Date.now() + waitTimeoutMs; !condition(); await sleep(lookAgainMs)) {
      if (Date.now() > deadline) throw new Error(this.report(what))
    }
  }

  async ended(terminal: Terminal): Promise<Ending> {
    await this.until(() => terminal.ending !== undefined, 'the end')
    return terminal.ending!
  }

  hasStatusFile(terminal: Terminal): boolean {
    return existsSync(join(this.claude.config, 'sessions', `${terminal.pid}.json`))
  }

  claudeJson(): { projects?: Record<string, { hasTrustDialogAccepted?: boolean }> } {
    return JSON.parse(readFileSync(join(this.claude.config, '.claude.json'), 'utf8'))
  }

  /** A file that a script writes, once it has something in it. */
  async untilFile(name: string): Promise<string> {
    const path = join(this.root, name)
    await this.until(() => existsSync(path) && statSync(path).size > 0, name)
    return readFileSync(path, 'utf8')
  }

  writeFile(name: string, content: string): string {
    const path = join(this.root, name)
    writeFileSync(path, content)
    return path
  }

  /** The conversations that were kept, oldest first, without what belongs to them. */
  transcripts(): string[] {
    const projects = join(this.claude.config, 'projects')
    if (!existsSync(projects)) return []
    const files = readdirSync(projects, { recursive: true }).map(String)
    const born = (file: string) => statSync(join(projects, file)).birthtimeMs
    return files.filter(file => /^[^/]+\/[^/]+\.jsonl$/.test(file)).sort((a, b) => born(a) - born(b))
  }

  async dispose(): Promise<void> {
    for (const terminal of this.terminals) {
      terminal.kill('SIGKILL')
      await terminal.ended
    }
    await this.recorder.close()
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }

  private report(what: string): string {
    const events = this.events().map(event => event.hook_event_name)
    const screen = this.terminals.at(-1)?.screen()
    return `${this.program.name}: waited in vain for ${what}\nevents: ${events.join(' ')}\n${screen}`
  }
}

/** A dead child that nobody has collected yet is not running. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, '')
}
