import type { Reporter, TestModule } from 'vitest/node'
import { type SkippedTest, unknownSkips } from './known-skips.ts'

/** Prints why each skipped test was skipped. In CI, a skip whose reason is not in known-skips.ts fails the run. */
export class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap(skippedTests)
    for (const { name, reason } of skipped) console.log(`skipped: ${name}: ${reason ?? 'no reason given'}`)
    const unknown = unknownSkips(skipped)
    if (!process.env.CI || unknown.length === 0) return
    console.error(`${unknown.length} skipped for a reason that test/helpers/known-skips.ts does not list`)
    process.exitCode = 1
  }
}

function skippedTests(module: TestModule): SkippedTest[] {
  return [...module.children.allTests('skipped')].map(test => {
    const result = test.result()
    return {
      name: `${module.relativeModuleId} > ${test.fullName}`,
      reason: result.state === 'skipped' ? result.note : undefined,
    }
  })
}
