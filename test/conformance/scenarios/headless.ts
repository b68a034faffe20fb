import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import type { HeadlessProgram } from '../headless-program.ts'
import type { Scenario } from '../scenario.ts'

const allow = { decision: { behavior: 'allow' } }

async function untilResults(bench: Bench, program: HeadlessProgram, count: number): Promise<void> {
  await bench.until(() => program.results().length >= count, `${count} results`)
}

async function finished(bench: Bench, program: HeadlessProgram): Promise<unknown> {
  program.closeInput()
  const code = await program.ended
  return { code, told: program.told, statusFile: bench.status !== undefined }
}

/** The user's words and Claude's, in the order of the transcript. */
function said(bench: Bench): unknown[] {
  const [file] = bench.transcripts()
  const lines = readFileSync(join(bench.claude.config, 'projects', file!), 'utf8')
    .split('\n')
    .filter(Boolean)
  return lines
    .map(line => JSON.parse(line))
    .filter(({ type }) => type === 'user' || type === 'assistant')
    .flatMap(({ message: { content } }) =>
      typeof content === 'string'
        ? [content]
        : content.map(({ text }: { text?: string }) => text ?? 'a tool'),
    )
}

/** Waits until words are on their way: their number differs, so they are not compared. */
async function untilStreaming(bench: Bench): Promise<void> {
  await bench.untilEvent('UserPromptSubmit')
  await bench.untilStatus('busy')
}

export const headless: Scenario[] = [
  {
    name: 'stays for further messages, and ends when its input is closed',
    play: async bench => {
      const program = bench.startHeadless()
      program.say('Hello. [[text Hello from the script.]]')
      await untilResults(bench, program, 1)
      await bench.untilStatus('idle')
      program.say('Again. [[text Hello again.]]')
      await untilResults(bench, program, 2)
      return { ...((await finished(bench, program)) as object), said: said(bench) }
    },
  },
  {
    name: 'a hook answers while the host is asked',
    play: async bench => {
      const program = bench.startHeadless()
      bench.hooks.answer('PermissionRequest', allow)
      program.say(`Work. [[write ${bench.cwd}/made|x]] [[text Done.]]`)
      await untilResults(bench, program, 1)
      return { ...((await finished(bench, program)) as object), made: existsSync(join(bench.cwd, 'made')) }
    },
  },
  {
    name: 'a hook answers a question, which exists without a terminal too',
    play: async bench => {
      const questions = [
        {
          question: 'Which one?',
          header: 'Pick',
          multiSelect: false,
          options: [
            { label: 'A', description: 'the first' },
            { label: 'B', description: 'the second' },
          ],
        },
      ]
      const program = bench.startHeadless()
      const updatedInput = { questions, answers: { 'Which one?': 'B' } }
      bench.hooks.answer('PermissionRequest', { decision: { behavior: 'allow', updatedInput } })
      program.say(`Ask. [[tool AskUserQuestion ${JSON.stringify({ questions })}]] [[text Thanks.]]`)
      await untilResults(bench, program, 1)
      return finished(bench, program)
    },
  },
  {
    name: 'an interrupted turn ends with an error, and the next one works',
    play: async bench => {
      const program = bench.startHeadless()
      program.say('Hang. [[hang]]')
      await untilStreaming(bench)
      program.interrupt()
      await untilResults(bench, program, 1)
      await bench.untilStatus('idle')
      program.say('Go on. [[text Gladly.]]')
      await untilResults(bench, program, 2)
      return finished(bench, program)
    },
  },
  {
    name: 'an interruption ends a turn whose request no hook answers',
    play: async bench => {
      const program = bench.startHeadless()
      program.say(`Work. [[write ${bench.cwd}/made|x]] [[text Done.]]`)
      await bench.untilStatus('waiting')
      program.interrupt()
      await untilResults(bench, program, 1)
      await bench.untilStatus('idle')
      program.closeInput()
      // The words for an interruption during a tool differ.
      return { code: await program.ended, made: existsSync(join(bench.cwd, 'made')) }
    },
  },
  {
    name: 'interrupted and closed at once, it ends with an error',
    play: async bench => {
      const program = bench.startHeadless({ hooks: false })
      program.say('Hang. [[hang]]')
      await bench.untilStatus('busy')
      await bench.until(() => program.has('init'), 'the beginning of the turn')
      program.interrupt()
      return finished(bench, program)
    },
  },
  {
    name: 'messages that wait at the same time become one prompt',
    play: async bench => {
      const program = bench.startHeadless()
      program.say('First. [[delay 1500]] [[text One.]]')
      await untilStreaming(bench)
      program.say('Second. [[text Two.]]')
      program.say('Third.')
      await untilResults(bench, program, 2)
      return { ...((await finished(bench, program)) as object), said: said(bench) }
    },
  },
  {
    name: 'an error of the API is a result with an error',
    play: async bench => {
      const program = bench.startHeadless()
      program.say('Fail. [[error 400 broken]]')
      await untilResults(bench, program, 1)
      await bench.untilEvent('StopFailure')
      return finished(bench, program)
    },
  },
  ...(['SIGTERM', 'SIGINT'] as const).map(signal => ({
    name: `${signal} ends it`,
    play: async (bench: Bench) => {
      const program = bench.startHeadless()
      program.say('Hello. [[text Hello from the script.]]')
      await untilResults(bench, program, 1)
      await bench.untilStatus('idle')
      program.kill(signal)
      return { code: await program.ended, statusFile: bench.status !== undefined }
    },
  })),
]
