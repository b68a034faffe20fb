import { candidate } from './candidates.ts'
import { seededRandom } from './random.ts'
import type { SandboxMaker } from './sandbox.ts'
import { type Aim, type Finding, inSandbox, run, runsUnasked } from './trial.ts'

export interface Search {
  seed: number
  /** Called before each candidate, with the number of candidates so far. */
  isOver(count: number): boolean
  onFinding?(finding: Finding): void
}

export interface SearchResult {
  candidates: number
  ran: number
  findings: Finding[]
}

const workers = 2
const aims: readonly Aim[] = ['rules', 'push', 'rules', 'self', 'writes']

/** Makes commands from the seed, and runs each one that agenc would not ask about. */
export async function search(
  maker: SandboxMaker,
  { seed, isOver, onFinding }: Search,
): Promise<SearchResult> {
  const random = seededRandom(seed)
  const result: SearchResult = { candidates: 0, ran: 0, findings: [] }
  const known = new Set<string>()
  const work = async () => {
    const sandbox = maker.make()
    while (!isOver(result.candidates)) {
      const aim = aims[result.candidates++ % aims.length]!
      const text = candidate(random, aim)
      if (known.has(text)) continue
      known.add(text)
      const command = inSandbox(text, sandbox)
      if (!runsUnasked(aim, command, sandbox)) {
        // Otherwise a long run of refused candidates would keep timers and the other worker waiting.
        if (result.candidates % 100 === 0) await new Promise(resolve => setImmediate(resolve))
        continue
      }
      result.ran++
      for (const finding of await run(aim, command, sandbox)) {
        result.findings.push({ ...finding, command: text })
        onFinding?.({ ...finding, command: text })
      }
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  return result
}
