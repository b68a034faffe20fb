import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The real Claude wants the machine to itself: scripts/test.mjs and `npm run test:real` run these apart.
    exclude: process.env.AGENC_TEST_REAL ? [] : ['test/real/**', 'test/conformance/real-claude.test.ts'],
    pool: 'forks',
    // Most of them wait for programs, not for the processor.
    maxWorkers: 3,
    // On a machine that is busy with something else, a program may start later than a test has patience for.
    retry: process.env.CI ? 2 : 0,
    testTimeout: 90_000,
    hookTimeout: 60_000,
    env: { NO_COLOR: '1' },
  },
})
