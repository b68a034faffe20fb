import { afterAll, beforeAll, expect, test } from 'vitest'
import { attacks, pushAttacks, selfAttacks, unshownAttacks, unshownPushAttacks } from '../corpus/attacks.ts'
import { needLinux, needPrograms } from '../helpers/needs.ts'
import { type SandboxMaker, sandboxMaker } from './sandbox.ts'
import { search } from './search.ts'
import { type Aim, describeFinding, inSandbox, run, runsUnasked } from './trial.ts'

let maker: SandboxMaker
beforeAll(() => {
  maker = sandboxMaker()
})
afterAll(() => maker.removeAll())

const corpora: [string, Aim, typeof attacks][] = [
  ['attacks on allow rules', 'rules', attacks],
  ['attacks on allow rules that the sandbox cannot show', 'rules', unshownAttacks],
  ['attacks on a deny rule', 'push', pushAttacks],
  ['attacks on a deny rule that the sandbox cannot show', 'push', unshownPushAttacks],
  ['attacks on settings', 'self', selfAttacks],
]

test.each(corpora)('%s never run unasked', (_, aim, corpus) => {
  const sandbox = maker.make()
  const unasked = Object.entries(corpus).flatMap(([kind, commands]) =>
    commands
      .filter(command => runsUnasked(aim, inSandbox(command, sandbox), sandbox))
      .map(command => `${kind}: ${command}`),
  )
  expect(unasked).toEqual([])
})

/** The first of each class are the plainest, and do not depend on the version of a program. */
function plainest(corpus: typeof attacks): string[] {
  return Object.values(corpus).flatMap(commands => commands.slice(0, 3))
}

test('the sandbox shows what attacks do', async context => {
  needLinux(context)
  needPrograms(context, 'bash', 'zsh', 'make', 'npm')
  const sandbox = maker.make()
  const unseen: string[] = []
  for (const [aim, corpus] of [
    ['rules', attacks],
    ['push', pushAttacks],
    ['self', selfAttacks],
  ] as const) {
    for (const command of plainest(corpus)) {
      const findings = await run(aim, inSandbox(command, sandbox), sandbox)
      if (findings.length === 0) unseen.push(command)
    }
  }
  expect(unseen).toEqual([])
})

test('commands that run unasked do no more than the rules allow, in bash and in zsh', async context => {
  needPrograms(context, 'bash', 'zsh')
  const end = Date.now() + 15_000
  const isOver = (count: number) => count >= 4000 || Date.now() > end
  const { candidates, ran, findings } = await search(maker, { seed: 18, isOver })
  console.log(`${candidates} commands made, ${ran} run in bash and zsh, ${findings.length} findings`)
  expect(findings.map(describeFinding)).toEqual([])
  expect(ran).toBeGreaterThan(20)
})
