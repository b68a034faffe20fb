import { existsSync } from 'node:fs'
import { basename, delimiter, dirname, resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Another tmux than the machine's own, by its path: it is put before it. */
function pathWithTmux(program: string): { PATH: string } {
  const path = resolve(program)
  if (basename(path) !== 'tmux' || !existsSync(path)) {
    throw new Error(`AGENC_TEST_TMUX=${program}: there is no program of that path called tmux`)
  }
  return { PATH: `${dirname(path)}${delimiter}${process.env.PATH}` }
}

const { AGENC_TEST_REAL, AGENC_TEST_TMUX } = process.env

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The real Claude wants the machine to itself: scripts/test.mjs and `npm run test:real` run these apart.
    exclude: AGENC_TEST_REAL ? [] : ['test/real/**', 'test/conformance/real-claude.test.ts'],
    pool: 'forks',
    // Most of them wait for programs, not for the processor.
    maxWorkers: 3,
    // On a machine that is busy with something else, a program may start later than a test has patience for.
    retry: process.env.CI ? 2 : 0,
    testTimeout: 90_000,
    hookTimeout: 60_000,
    env: { NO_COLOR: '1', ...(AGENC_TEST_TMUX ? pathWithTmux(AGENC_TEST_TMUX) : {}) },
  },
})
