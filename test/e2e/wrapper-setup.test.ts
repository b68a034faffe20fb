import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isAlive, untilGone } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'
import { press, type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

function addRepo(box: WrapperBox, setup: string, trust = '--trust'): string {
  const source = join(box.root, 'sources', 'app')
  mkdirSync(source, { recursive: true })
  writeFileSync(join(source, 'README.md'), 'app\n')
  for (const line of ['init -q -b main', 'add .', 'commit -q -m first'])
    execFileSync('git', line.split(' '), { cwd: source, env: box.env, stdio: 'ignore' })
  const repo = box.agenc(['repo', 'add', source, trust]).stdout.trim()
  const done = box.agenc(['config', 'set', `repos.${repo}.setup`, setup])
  if (done.exitCode !== 0) throw new Error(done.stderr)
  return repo
}

const missionFile = (box: WrapperBox, id: string, name: string) => join(box.agencHome, 'missions', id, name)

describe("a repo's setup", () => {
  test('runs once, in the working copy, before Claude; its output is kept', async () => {
    const box = wrapperBox()
    const repo = addRepo(box, 'echo preparing; pwd >>ran; test -e README.md')
    const terminal = box.run(['mission', 'new', repo])
    const { id } = await waitFor('the mission', () => box.records()[0])
    await box.ready(id)
    const agent = missionFile(box, id, 'agent')
    expect(readFileSync(join(agent, 'ran'), 'utf8')).toBe(`${agent}\n`)
    expect(readFileSync(missionFile(box, id, 'setup.log'), 'utf8')).toContain('preparing\n')
    expect(box.record(id).setup_pending).toBe(0)
    process.kill(terminal.pid, 'SIGTERM')
    await terminal.exited
    box.run(['mission', 'resume', id])
    await box.ready(id)
    expect(readFileSync(join(agent, 'ran'), 'utf8')).toBe(`${agent}\n`)
  })

  test('that fails is shown and Claude is not started; the next resume runs it again', async () => {
    const box = wrapperBox()
    const repo = addRepo(box, 'echo dependency missing; test -e fixed')
    const terminal = box.run(['mission', 'new', repo])
    await terminal.waitForText('Enter: resume, q: close')
    expect(terminal.screen()).toContain('dependency missing')
    expect(terminal.screen()).toMatch(/Setup .*\(exit 1\)/)
    const { id } = box.records()[0]!
    expect(box.record(id)).toMatchObject({ wrapper_pid: null, setup_pending: 1, exit_code: 1 })
    expect(box.history(id).map(({ kind }) => kind)).not.toContain('state')
    expect(existsSync(missionFile(box, id, join('run', 'bell')))).toBe(false)
    await press(terminal, 'q', () => !isAlive(terminal.pid))
    writeFileSync(join(missionFile(box, id, 'agent'), 'fixed'), '')
    box.run(['mission', 'resume', id])
    await box.ready(id)
    expect(box.record(id).setup_pending).toBe(0)
  })

  test('does not run if the repo is not trusted', async () => {
    const box = wrapperBox()
    const repo = addRepo(box, 'touch ran', '--no-trust')
    box.run(['mission', 'new', repo])
    const { id } = await waitFor('the mission', () => box.records()[0])
    await box.until(id, 'waiting:trust')
    expect(existsSync(join(missionFile(box, id, 'agent'), 'ran'))).toBe(false)
  })

  test('does not run if the repo is no longer trusted, nor does it in a clone', async () => {
    const box = wrapperBox()
    const repo = addRepo(box, 'touch ran; exit 1')
    const terminal = box.run(['mission', 'new', repo])
    await terminal.waitForText('Enter: resume, q: close')
    const { id } = box.records()[0]!
    await press(terminal, 'q', () => !isAlive(terminal.pid))
    rmSync(join(missionFile(box, id, 'agent'), 'ran'))
    expect(box.agenc(['repo', 'trust', repo, '--revoke']).exitCode).toBe(0)
    box.run(['mission', 'new', '--clone', id])
    const copy = await waitFor('the clone', () => box.records()[1])
    box.run(['mission', 'resume', id])
    for (const mission of [copy.id, id]) {
      await box.until(mission, 'waiting:trust')
      expect(existsSync(join(missionFile(box, mission, 'agent'), 'ran'))).toBe(false)
      expect(box.record(mission).setup_pending).toBe(1)
    }
  })

  test.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    '%s ends it with everything it started, and Claude is not started',
    async (signal, exitCode) => {
      const box = wrapperBox()
      const repo = addRepo(box, 'sh -c "echo \\$\\$ >inner; sleep 1000"; echo >after; sleep 1000')
      const terminal = box.run(['mission', 'new', repo])
      const { id } = await waitFor('the mission', () => box.records()[0])
      const agent = missionFile(box, id, 'agent')
      const inner = await waitFor('the setup’s inner process', () =>
        Number(readFileSync(join(agent, 'inner'), 'utf8').trim()),
      )
      process.kill(terminal.pid, signal)
      expect(await terminal.exited).toBe(exitCode)
      await untilGone(inner)
      expect(box.record(id)).toMatchObject({
        wrapper_pid: null,
        claude_pid: null,
        setup_pending: 1,
        exit_signal: signal,
      })
      expect(existsSync(join(agent, 'after'))).toBe(false)
    },
  )
})
