import type { ChildProcess } from 'node:child_process'
import type { Result } from '../system/runner.ts'
import { collect, timedOut } from '../system/runner.ts'
import { deadlineMs } from './deadline.ts'
import type { Tmux, TmuxCommand } from './tmux.ts'
import { type Answer, answerOf, linesOf } from './tmux-answer.ts'
import { line } from './tmux-script.ts'

/**
 * One call of tmux in two steps, because starting a second `tmux` takes longer than opening a window. Commands that open a
 * mission's window use it: they find out where they run, and then open the window there.
 */
export interface OpenCall {
  /** The output of the first commands. */
  answer: Answer
  /** Runs more commands and ends the call. Until then tmux waits, at most as long as this process lives. */
  continueWith(...commands: TmuxCommand[]): Promise<Answer>
}

/** Marks the end of an answer. No command in such a call prints this line itself. */
const endMark = '=agenc='
const endLine = `${endMark}\n`
const endOfAnswer: TmuxCommand = ['display-message', '-p', endMark]
/** Makes tmux read the following commands from stdin, up to its end. */
const readFromStdin: TmuxCommand = ['source-file', '-']

export async function openCall(tmux: Pick<Tmux, 'start'>, ...first: TmuxCommand[]): Promise<OpenCall> {
  const child = tmux.start('pipe', ...first, endOfAnswer, readFromStdin)
  const ended = collect(child)
  // tmux may exit before stdin is written. Its exit code tells why, so ignore this error.
  child.stdin?.on('error', () => {})
  const output = await beforeDeadline(child, Promise.race([untilMark(child), ended]))
  if (typeof output !== 'string') {
    const answer = answerAtEnd(output, first)
    return { answer, continueWith: async () => answer }
  }
  return {
    answer: { kind: 'ok', lines: linesOf(output) },
    continueWith: async (...commands) => {
      child.stdin?.end(`${[...commands, endOfAnswer].map(line).join(' ; ')}\n`)
      const done = await beforeDeadline(child, ended)
      return answerAtEnd({ ...done, stdout: done.stdout.slice(output.length + endLine.length) }, commands)
    },
  }
}

/** If the server ends, its clients exit with 0. Only the mark proves that all commands ran. */
function answerAtEnd(done: Result, commands: readonly TmuxCommand[]): Answer {
  const output = beforeMark(done.stdout)
  if (output !== null) return { kind: 'ok', lines: linesOf(output) }
  return answerOf(
    done.exitCode === 0 ? { ...done, exitCode: null, stderr: 'the server has ended' } : done,
    commands,
  )
}

/** Kills the client if tmux takes too long. Another process may hold its pipes, so they are closed here. */
function beforeDeadline<T>(child: ChildProcess, answer: Promise<T>): Promise<T | Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Result>(resolve => {
    timer = setTimeout(() => {
      child.kill('SIGKILL')
      for (const stream of child.stdio) stream?.destroy()
      resolve(timedOut(deadlineMs))
    }, deadlineMs)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

function untilMark(child: ChildProcess): Promise<string> {
  let text = ''
  return new Promise(resolve => {
    child.stdout?.on('data', (more: string) => {
      text += more
      const output = beforeMark(text)
      if (output !== null) resolve(output)
    })
  })
}

function beforeMark(text: string): string | null {
  const end = `\n${text}`.indexOf(`\n${endLine}`)
  return end < 0 ? null : text.slice(0, end)
}
