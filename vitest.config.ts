import { existsSync } from 'node:fs'
import { basename, delimiter, dirname, resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { SkipReporter } from './test/helpers/skip-reporter.ts'

/** A PATH on which this tmux comes before the machine's own. */
function pathWithTmux(program: string): { PATH: string } {
  const path = resolve(program)
  if (basename(path) !== 'tmux' || !existsSync(path)) {
    throw new Error(`AGENC_TEST_TMUX must be the path of a program called tmux, but is ${program}`)
  }
  return { PATH: `${dirname(path)}${delimiter}${process.env.PATH}` }
}

const { AGENC_TEST_REAL, AGENC_TEST_TMUX } = process.env

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests with the real Claude depend on timing, so scripts/test.mjs and `npm run test:real` run them on their own.
    exclude: AGENC_TEST_REAL ? [] : ['test/real/**', 'test/conformance/real-claude.test.ts'],
    globalSetup: './test/helpers/require-fresh-build.ts',
    reporters: ['default', new SkipReporter()],
    pool: 'forks',
    // More workers than cores: most tests wait for other programs.
    maxWorkers: 3,
    testTimeout: 90_000,
    hookTimeout: 60_000,
    env: { NO_COLOR: '1', ...(AGENC_TEST_TMUX ? pathWithTmux(AGENC_TEST_TMUX) : {}) },
  },
})
