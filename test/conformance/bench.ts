import { spawnSync } from 'node:child_process'
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
import { HeadlessProgram } from './headless-program.ts'
import { type HookEvent, HookLog } from './hook-log.ts'
import { readStatus, type Status, statusText } from './status.ts'
import { type Ending, Terminal } from './terminal.ts'

/** The real Claude or the stand-in. */
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
  /** The path of a file to read stdin from. */
  stdin?: string
}

const waitTimeoutMs = 20_000
const pollIntervalMs = 15
/** Claude ignores all keys for the first 200 ms of a dialog, and nothing on the screen shows when that time is over. */
const dialogReadyMs = 350

/** Runs one program in a private home and working directory, and records every hook event. */
export class Bench {
  readonly root: string
  readonly cwd: string
  readonly claude: ClaudeHome
  readonly sessionId: string = randomUUID()
  readonly terminals: Terminal[] = []
  readonly headless: HeadlessProgram[] = []
  /** What the status file said each time the scenario had waited for something in it. */
  readonly statuses: Status[] = []
  readonly hooks: HookLog
  private readonly program: Program
  private readonly statusDirectory: string

  private constructor(program: Program, root: string, claude: ClaudeHome) {
    this.program = program
    this.root = root
    this.cwd = join(root, 'proj.one')
    this.claude = claude
    this.statusDirectory = join(claude.config, 'sessions')
    this.hooks = new HookLog(root, this.statusDirectory)
  }

  static open(program: Program, baseUrl: string, options: BenchOptions = {}): Bench {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'agenc-conform-')))
    const cwd = join(root, 'proj.one')
    mkdirSync(cwd)
    mkdirSync(join(root, 'tmp'))
    const claude = seedClaudeHome(join(root, 'home'), options.trusted === false ? [] : [cwd], baseUrl)
    return new Bench(program, root, claude)
  }

  /** The current status file of the terminal that was opened last. */
  get status(): Status | undefined {
    const program = this.headless.at(-1) ?? this.terminals.at(-1)
    return program && readStatus(this.statusDirectory, program.pid)
  }

  start(args: readonly string[], options: StartOptions = {}): Terminal {
    const command = [this.program.path, ...args]
    const shell = ['/bin/sh', '-c', 'exec "$@" <"$0"', options.stdin ?? '']
    const [file, ...rest] = options.stdin === undefined ? command : [...shell, ...command]
    const env = { ...this.env, ...options.env }
    const terminal = new Terminal({ file: file!, args: rest, cwd: options.cwd ?? this.cwd, env })
    this.terminals.push(terminal)
    return terminal
  }

  private get env(): Record<string, string> {
    const temporary = join(this.root, 'tmp')
    return { ...this.claude.env, TMPDIR: temporary, CLAUDE_CODE_TMPDIR: temporary }
  }

  /** Starts the program without a terminal, with a known session id, in manual mode and with all hooks. */
  startHeadless({ hooks = true } = {}): HeadlessProgram {
    const usual = ['--session-id', this.sessionId, '--permission-mode', 'manual']
    const args = hooks ? [...usual, '--settings', this.hooks.settings()] : usual
    const program = new HeadlessProgram(this.program.path, args, this.cwd, this.env)
    this.headless.push(program)
    return program
  }

  /** Starts the program with a known session id, in manual mode, with all hooks, and waits until it is idle. */
  async ready(args: readonly string[] = []): Promise<Terminal> {
    const usual = ['--session-id', this.sessionId, '--permission-mode', 'manual']
    const terminal = this.start([...usual, '--settings', this.hooks.settings(), ...args])
    await this.untilReady(terminal)
    return terminal
  }

  events(): HookEvent[] {
    return this.hooks.events().map(({ event }) => event)
  }

  async untilEvent(name: string, count = 1): Promise<void> {
    const seen = () => this.events().filter(event => event.hook_event_name === name).length
    await this.until(() => seen() >= count, `${count} × ${name}`)
  }

  async untilScreen(terminal: Terminal, pattern: RegExp): Promise<void> {
    await this.until(() => pattern.test(terminal.screen()), `screen ${pattern}`)
  }

  /** Waits for a dialog that blocks the conversation, and until it takes keys. */
  async untilDialog(terminal: Terminal, pattern: RegExp): Promise<void> {
    await this.untilScreen(terminal, pattern)
    await this.untilStatus('waiting')
    await sleep(dialogReadyMs)
  }

  /** Waits for a dialog that comes before the session starts, and until it takes keys. */
  async untilStartupDialog(terminal: Terminal, pattern: RegExp): Promise<void> {
    await this.untilScreen(terminal, pattern)
    await sleep(dialogReadyMs)
  }

  async untilStatus(status: string): Promise<void> {
    let seen: Status | undefined
    const matches = () => {
      seen = this.status
      return seen?.status === status
    }
    await this.until(matches, `status ${status}`)
    this.statuses.push(seen!)
  }

  /** Claude accepts text earlier than Enter, so the prompt must be drawn and the session must be idle. */
  async untilReady(terminal: Terminal): Promise<void> {
    await this.untilScreen(terminal, /^❯\u00a0/m)
    await this.untilStatus('idle')
  }

  async untilGone(pid: number): Promise<void> {
    await this.until(() => !isRunning(pid), `the end of ${pid}`)
  }

  /**
   * Pastes the prompt, because Claude takes fast input for a paste anyway. An Enter that directly follows a paste
   * would add a new line instead of submitting, so the prompt must be on the screen first.
   */
  async say(terminal: Terminal, prompt: string): Promise<void> {
    terminal.send(`\u001b[200~${prompt}\u001b[201~`)
    const tail = squeeze(prompt).slice(-12)
    await this.until(() => squeeze(terminal.screen()).includes(tail), `typed ${tail}`)
    terminal.send('\r')
  }

  async until(condition: () => boolean, what: string): Promise<void> {
    for (const deadline = Date.now() + waitTimeoutMs; !condition(); await sleep(pollIntervalMs)) {
      if (Date.now() > deadline) throw new Error(this.report(what))
    }
  }

  async ended(terminal: Terminal): Promise<Ending> {
    await this.until(() => terminal.ending !== undefined, 'the end')
    return terminal.ending!
  }

  hasStatusFile(terminal: Terminal): boolean {
    return existsSync(join(this.statusDirectory, `${terminal.pid}.json`))
  }

  claudeJson(): { projects?: Record<string, { hasTrustDialogAccepted?: boolean }> } {
    return JSON.parse(readFileSync(join(this.claude.config, '.claude.json'), 'utf8'))
  }

  /** Waits until a script has written the file, and returns its content. */
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

  /** The saved conversations, oldest first, without the transcripts of their subagents. */
  transcripts(): string[] {
    const projects = join(this.claude.config, 'projects')
    if (!existsSync(projects)) return []
    const files = readdirSync(projects, { recursive: true }).map(String)
    const born = (file: string) => statSync(join(projects, file)).birthtimeMs
    return files.filter(file => /^[^/]+\/[^/]+\.jsonl$/.test(file)).sort((a, b) => born(a) - born(b))
  }

  /** The lines of all saved conversations. */
  lines(): Record<string, unknown>[] {
    const projects = join(this.claude.config, 'projects')
    const files = this.transcripts().map(file => readFileSync(join(projects, file), 'utf8'))
    return files.flatMap(text =>
      text
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line)),
    )
  }

  async dispose(): Promise<void> {
    for (const program of this.headless) {
      program.kill('SIGKILL')
      await program.ended
    }
    for (const terminal of this.terminals) {
      terminal.kill('SIGKILL')
      await terminal.ended
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }

  private report(what: string): string {
    const events = this.events().map(event => event.hook_event_name)
    const screen = this.terminals.at(-1)?.screen() ?? JSON.stringify(this.headless.at(-1)?.told)
    const status = this.status && statusText(this.status)
    return `${this.program.name}: timed out waiting for ${what}\nevents: ${events.join(' ')}\nstatus: ${status}\n${screen}`
  }
}

/** Returns false for a zombie: it has ended, but its parent has not collected it yet. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return /^[^ZX\s]/.test(stdout.trim())
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, '')
}
