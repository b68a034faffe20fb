import { expect, test } from 'vitest'
import { assertHealthy, assertTruthful } from './assert-healthy.ts'
import { type FaultBox, faultBox } from './fault-box.ts'
import { faults } from './soak/faults.ts'
import { Model } from './soak/model.ts'
import { type Chosen, operations } from './soak/operations.ts'
import { type Random, randomFrom } from './soak/random.ts'

/** As part of all tests, the operations are always the same. `npm run soak` draws a seed. */
const { AGENC_SOAK_SEED = '511722', AGENC_SOAK_SECONDS = '60', AGENC_SOAK_MISSIONS = '8' } = process.env
const seed = Number(AGENC_SOAK_SEED)
const seconds = Number(AGENC_SOAK_SECONDS)
const mostMissions = Number(AGENC_SOAK_MISSIONS)
const endMs = 240_000
/** How many operations there are between two checks of everything. */
const stretch = 12

const everything = [...operations, ...faults]

function chooseNext(model: Model, random: Random): Chosen {
  for (;;) {
    const chosen = random.pickWeighted(everything).choose(model, random)
    if (chosen) return chosen
  }
}

async function soak(box: FaultBox, model: Model): Promise<number> {
  const random = randomFrom(seed)
  const deadline = Date.now() + seconds * 1000
  let number = 0
  while (Date.now() < deadline) {
    const { title, run } = chooseNext(model, random)
    number += 1
    console.log(`#${number} ${title}`)
    await run(box)
    if (number % stretch === 0) await assertTruthful(box, model.expectations())
  }
  return number
}

test('random operations and faults', { timeout: seconds * 1000 + endMs }, async () => {
  const replay = `npm run soak -- --seed ${seed} --missions ${mostMissions}`
  console.log(`seed ${seed}; the same operations again: ${replay}`)
  const box = faultBox()
  box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
  const model = new Model(mostMissions)
  const done = await soak(box, model)
  expect(done).toBeGreaterThan(0)
  await assertHealthy(box, model.expectations())
  console.log(`${done} operations with seed ${seed}`)
})
