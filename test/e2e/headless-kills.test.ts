import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { promptsIn } from '../helpers/headless.ts'
import { isAlive, untilGone } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'
import { type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

const victims = ['wrapper', 'Claude', 'both'] as const
const goOn = ['--prompt', 'Go on. [[text Gladly.]]']

interface Case {
  prompt: string
  /** Waits until the mission is in the state. Resolves to the process of a tool, if one runs. */
  reach: (box: WrapperBox, id: string) => Promise<unknown>
  /** Whether a result is there already. */
  isDone?: boolean
  /** Whether Claude has not got the prompt yet. */
  isEarly?: boolean
}

const agentOf = (box: WrapperBox, id: string) => join(box.agencHome, 'missions', id, 'agent')
const toolOf = (box: WrapperBox, id: string) => {
  const file = join(agentOf(box, id), 'pid')
  return existsSync(file) && Number(readFileSync(file, 'utf8'))
}

const cases: Record<string, Case> = {
  starting: {
    prompt: 'First. [[text Gladly.]]',
    reach: (box, id) => waitFor('Claude', () => box.record(id).claude_pid),
    isEarly: true,
  },
  'busy in a tool': {
    prompt: 'First. [[bash echo $$ > pid; exec sleep 1000]]',
    reach: (box, id) => waitFor('the tool', () => toolOf(box, id)),
  },
  waiting: {
    prompt: 'First. [[write made|]]',
    reach: (box, id) => box.until(id, 'waiting:permission'),
  },
  idle: {
    prompt: 'First. [[text One.]]',
    reach: async (box, id) => {
      await waitFor('the result', () => box.record(id).result)
      await box.until(id, 'idle')
    },
    isDone: true,
  },
}

/** A Claude that does not get beyond its start until there is a file `go`. */
function slowClaude(box: WrapperBox): string {
  const path = join(box.root, 'slow-claude')
  const script = 'case $1 in --version|--help) ;; *) [ -e go ] || exec sleep 1000 ;; esac'
  writeFileSync(path, `#!/bin/sh\n${script}\nexec claude "$@"\n`, { mode: 0o755 })
  return path
}

/** Kills the victim in this state, and resumes the mission. */
async function killAndResume(box: WrapperBox, { prompt, reach, isDone, isEarly }: Case, victim: string) {
  const args = ['mission', 'new', '--blank', '--headless', '--permission-mode', 'manual', '--prompt', prompt]
  const id = (await box.agencAsync(args)).stdout.trim()
  await reach(box, id)
  const tool = toolOf(box, id)
  const { wrapper_pid, claude_pid } = box.record(id)
  if (victim !== 'Claude') process.kill(wrapper_pid!, 'SIGKILL')
  if (victim !== 'wrapper') process.kill(claude_pid!, 'SIGKILL')
  await untilGone(wrapper_pid, claude_pid)
  const shown: MissionJson = JSON.parse((await box.agencAsync(['mission', 'show', id, '--json'])).stdout)
  writeFileSync(join(agentOf(box, id), 'go'), '')
  const resume = ['mission', 'resume', id, '--headless', '--wait']
  const others = isEarly
    ? [
        [...resume, ...goOn],
        ['mission', 'resume', id, ...goOn],
      ]
    : []
  const refusals = await Promise.all(others.map(async command => (await box.agencAsync(command)).stderr))
  const { exitCode, stdout } = await box.agencAsync([...resume, ...(isEarly ? [] : goOn)])
  return {
    status: shown.status,
    pending: shown.pending,
    hasOwnResult: shown.result?.is_error === false,
    arePromptsRefused: refusals.map(text => text.includes('has not got the prompt')),
    exitCode,
    stdout,
    prompts: promptsIn(box, id).filter(text => !text.startsWith('[Request interrupted')),
    hasMade: existsSync(join(agentOf(box, id), 'made')),
    isToolAlive: tool !== false && isAlive(tool),
    expectedPrompts: isEarly ? [prompt] : [prompt, goOn[1]],
    isDone: isDone ?? false,
    isEarly: isEarly ?? false,
  }
}

test.each(Object.entries(cases))(
  'kill -9 while %s: each prompt is given once, and nothing runs on',
  async (_, state) => {
    const box = wrapperBox()
    box.agenc(['config', 'set', 'claude.args', '["--allowedTools", "Bash"]'])
    if (state.isEarly) box.agenc(['config', 'set', 'claude.command', slowClaude(box)])
    const seen = await Promise.all(victims.map(victim => killAndResume(box, state, victim)))
    for (const {
      prompts,
      expectedPrompts,
      hasOwnResult,
      isDone,
      isEarly,
      arePromptsRefused,
      ...rest
    } of seen) {
      expect(prompts).toEqual(expectedPrompts)
      expect(hasOwnResult).toBe(isDone)
      expect(arePromptsRefused).toEqual(isEarly ? [true, true] : [])
      expect(rest).toEqual({
        status: 'crashed',
        pending: [],
        exitCode: 0,
        stdout: 'Gladly.\n',
        hasMade: false,
        isToolAlive: false,
      })
    }
  },
)
