import type { ChildProcess } from 'node:child_process'
import type { Result } from '../system/runner.ts'
import { collect } from '../system/runner.ts'
import { type Sourced, sourcedOf } from './source-script.ts'
import type { TmuxCommand } from './tmux.ts'
import { type Answer, answerOf, linesOf } from './tmux-answer.ts'
import { line } from './tmux-script.ts'

/** One call in two steps, since to start a program takes longer than what tmux does then. */
export interface OpenCall {
  /** What the first commands had to say. */
  answer: Answer
  /** Once, and then it is over. Until then tmux waits, at the longest as long as this process lives. */
  goOn(...commands: TmuxCommand[]): Promise<Answer>
  /** The same with a script, line by line. null: nobody knows how much of it was run. */
  goOnWith(script: readonly string[]): Promise<Sourced | null>
}

/** Nothing that is asked for is a line like this. */
const endMark = '=agenc='
const endLine = `${endMark}\n`
const endOfAnswer: TmuxCommand = ['display-message', '-p', endMark]
/** What comes next is read from stdin, to its end. */
const rest: TmuxCommand = ['source-file', '-']

export async function openCall(
  start: (...commands: TmuxCommand[]) => ChildProcess,
  first: readonly TmuxCommand[],
): Promise<OpenCall> {
  const child = start(...first, endOfAnswer, rest)
  const ended = collect(child)
  // It may be gone by then: how it ended tells.
  child.stdin?.on('error', () => {})
  const said = await Promise.race([untilMark(child), ended])
  if (typeof said !== 'string') {
    const answer = answerAtEnd(said, first)
    return { answer, goOn: async () => answer, goOnWith: async () => null }
  }
  const following = async (text: string): Promise<Result> => {
    child.stdin?.end(`${text}\n`)
    const done = await ended
    return { ...done, stdout: done.stdout.slice(said.length + endLine.length) }
  }
  return {
    answer: { kind: 'ok', lines: linesOf(said) },
    goOn: async (...commands) =>
      answerAtEnd(await following([...commands, endOfAnswer].map(line).join(' ; ')), commands),
    goOnWith: async script => {
      const done = await following(script.join('\n'))
      return done.exitCode === null ? null : sourcedOf(done)
    },
  }
}

/** A server that ends takes its clients along, with exit 0. */
function answerAtEnd(done: Result, commands: readonly TmuxCommand[]): Answer {
  const said = beforeMark(done.stdout)
  if (said !== null) return { kind: 'ok', lines: linesOf(said) }
  return answerOf(done.exitCode === 0 ? { ...done, exitCode: null, stderr: 'it has ended' } : done, commands)
}

function untilMark(child: ChildProcess): Promise<string> {
  let text = ''
  return new Promise(resolve => {
    child.stdout?.on('data', (more: string) => {
      text += more
      const said = beforeMark(text)
      if (said !== null) resolve(said)
    })
  })
}

function beforeMark(text: string): string | null {
  const end = `\n${text}`.indexOf(`\n${endLine}`)
  return end < 0 ? null : text.slice(0, end)
}
