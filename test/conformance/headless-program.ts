import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

type Line = Record<string, unknown>

/** One program without a terminal: `claude -p` with lines of JSON as input and output. */
export class HeadlessProgram {
  /** What it has written, without what differs from run to run. */
  readonly told: unknown[] = []
  readonly ended: Promise<number | NodeJS.Signals | null>
  private readonly child: ChildProcess

  constructor(path: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    const formats = ['--output-format', 'stream-json', '--input-format', 'stream-json']
    const own = ['-p', '--verbose', ...formats, '--permission-prompt-tool', 'stdio']
    this.child = spawn(path, [...own, ...args], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] })
    this.child.stdin!.on('error', () => {})
    const lines = createInterface({ input: this.child.stdout! })
    lines.on('line', line => this.told.push(...essence(JSON.parse(line))))
    this.ended = new Promise(resolve => {
      this.child.on('close', (code, signal) => resolve(signal ?? code))
    })
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  results(): Line[] {
    return (this.told as Line[]).filter(({ type }) => type === 'result')
  }

  has(subtype: string): boolean {
    return (this.told as Line[]).some(line => line.subtype === subtype)
  }

  say(text: string): void {
    this.write({ type: 'user', message: { role: 'user', content: text } })
  }

  interrupt(): void {
    this.write({ type: 'control_request', request_id: 'interrupt', request: { subtype: 'interrupt' } })
  }

  closeInput(): void {
    this.child.stdin!.end()
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }

  private write(line: Line): void {
    this.child.stdin!.write(`${JSON.stringify(line)}\n`)
  }
}

/** The lines, and the parts of them, that agenc relies on. */
function essence(line: Line): unknown[] {
  const { type, subtype } = line
  switch (type) {
    case 'result': {
      const { is_error, result, usage, total_cost_usd, terminal_reason } = line
      const { input_tokens, output_tokens } = usage as Line
      const tokens = { input_tokens, output_tokens }
      // The count of a turn that was interrupted depends on the moment.
      const num_turns = terminal_reason === 'completed' ? line.num_turns : null
      return [{ type, subtype, is_error, result, num_turns, ...tokens, total_cost_usd, terminal_reason }]
    }
    case 'assistant':
    case 'user':
      return [{ type, content: ((line.message as Line).content as Line[]).map(essenceOfBlock) }]
    case 'control_request': {
      const { subtype: kind, tool_name, input } = line.request as Line
      return [{ type, kind, tool_name, input }]
    }
    case 'control_cancel_request':
      return [{ type }]
    case 'system':
      return subtype === 'init' ? [{ type, subtype }] : []
    default:
      return []
  }
}

function essenceOfBlock({ type, text, name, is_error }: Line): Line {
  return type === 'tool_result' ? { type, is_error: is_error === true } : { type, text, name }
}
