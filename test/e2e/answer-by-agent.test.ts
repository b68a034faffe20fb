import { describe, expect, test } from 'vitest'
import type { MissionId } from '../../src/mission-id.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { sandbox } from '../helpers/cli.ts'
import { storeMissions } from '../helpers/missions.ts'

/** A parent with a child, a stranger, and a way to answer for each of them from inside the parent. */
async function family({ mayAnswer = false, isFoundBy = 'environment' } = {}) {
  const box = sandbox()
  const [parent] = await storeMissions(box, [
    { may_answer: mayAnswer ? 1 : 0, ...(isFoundBy === 'ancestry' ? running() : {}) },
  ])
  const [child, stranger] = await storeMissions(box, [{ parent_id: parent }, {}])
  const env = isFoundBy === 'environment' ? { AGENC_MISSION_UUID: parent } : {}
  const answer = (mission: MissionId, ...args: string[]) =>
    box.agenc(['mission', 'answer', mission, 'allow', ...args], { env }).stderr
  return { parent: parent!, child: child!, stranger: stranger!, answer }
}

/** Makes this test the Claude of a mission, so that it is a parent process of every command that it runs. */
function running() {
  const { pid, start } = systemProbe(systemRunner).identify(process.pid)!
  return { wrapper_pid: pid, wrapper_start: start, claude_pid: pid, claude_start: start }
}

describe.each(['environment', 'ancestry'])('a command whose %s leads to a mission', isFoundBy => {
  test('cannot answer for that mission, nor for others', async () => {
    const { parent, child, stranger, answer } = await family({ isFoundBy })
    expect(answer(parent)).toContain('a mission cannot answer its own permission requests')
    expect(answer(child)).toContain('may not answer for the missions that it starts')
    expect(answer(stranger)).toContain('which it has not started')
  })

  test('can answer for what the mission has started if it was started with --may-answer', async () => {
    const { parent, child, stranger, answer } = await family({ isFoundBy, mayAnswer: true })
    expect(answer(child)).toContain('has no open request')
    expect(answer(child, '--mode', 'plan')).toContain('has no open request')
    expect(answer(child, '--mode', 'acceptEdits')).toContain('more rights than it has')
    expect(answer(parent)).toContain('a mission cannot answer its own permission requests')
    expect(answer(stranger)).toContain('which it has not started')
  })
})

test('a person can answer for every mission', async () => {
  const { parent, child, stranger, answer } = await family({ isFoundBy: 'nothing' })
  for (const mission of [parent, child, stranger]) expect(answer(mission)).toContain('has no open request')
})
