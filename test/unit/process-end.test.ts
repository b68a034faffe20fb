import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { projectRoot, temporaryDirectory } from '../helpers/cli.ts'
import { openTerminal, type Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

/** A program with a temporary directory and a status line, which then does what its argument says. */
const program = `
  import { spawnSync } from 'node:child_process'
  import { writeFileSync } from 'node:fs'
  import { outputOf } from './src/io/output.ts'
  import { StatusLine } from './src/io/status-line.ts'
  import { makeTemporaryDirectory } from './src/io/temporary-directory.ts'

  const [place, what] = process.argv.slice(2)
  const directory = makeTemporaryDirectory(place + '/work-')
  writeFileSync(directory.path + '/file', 'x')
  const status = new StatusLine(outputOf(process.stderr, process.env))
  if (what !== 'work') status.show('one of two')
  status.show('two of two')
  if (what === 'wait') setInterval(() => {}, 1000)
  if (what === 'exit') process.exit(7)
  if (what === 'throw') throw new Error('for a test')
  if (what === 'work') {
    spawnSync('/bin/sh', ['-c', 'kill -TERM $PPID; echo >"$1"', 'sh', place + '/signalled'])
    directory.remove()
    status.clear()
    setTimeout(() => writeFileSync(place + '/survived', ''), 5000)
  }
`

async function run(what: string): Promise<{ place: string; terminal: Terminal }> {
  const [place, script] = [temporaryDirectory(), join(temporaryDirectory(), 'program.cjs')]
  await build({
    stdin: { contents: program, resolveDir: projectRoot },
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  })
  const terminal = openTerminal(process.execPath, [script, place, what], { env: { PATH: process.env.PATH } })
  return { place, terminal }
}

describe('a temporary directory is removed and the status line erased', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('after %s, of which the process dies', async signal => {
    const { place, terminal } = await run('wait')
    await terminal.waitForText('two of two')
    expect(readdirSync(place)).toHaveLength(1)
    process.kill(terminal.pid, signal)
    await terminal.exited
    expect(terminal.diedOf()).toBe(constants.signals[signal])
    expect(readdirSync(place)).toEqual([])
    expect(terminal.screen()).not.toContain('of two')
  })

  test('after process.exit, which keeps its code', async () => {
    const { place, terminal } = await run('exit')
    expect(await terminal.exited).toBe(7)
    expect(readdirSync(place)).toEqual([])
    expect(terminal.screen()).not.toContain('of two')
  })

  test('after an error that is not caught', async () => {
    const { place, terminal } = await run('throw')
    expect(await terminal.exited).toBe(1)
    expect(readdirSync(place)).toEqual([])
    expect(terminal.screen()).toContain('for a test')
  })
})

test('a signal that comes during synchronous work ends the process after it', async () => {
  const { place, terminal } = await run('work')
  await waitFor('the signal', () => existsSync(join(place, 'signalled')))
  await terminal.exited
  expect(terminal.diedOf()).toBe(constants.signals.SIGTERM)
  expect(readdirSync(place)).toEqual(['signalled'])
  expect(readFileSync(join(place, 'signalled'), 'utf8')).toBe('\n')
})
