import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // `npm run test:real` runs these: they take the real Claude through whole stories.
    exclude: process.env.AGENC_TEST_REAL ? [] : ['test/real/**'],
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
