import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { gitBench } from './git.ts'
import { waitFor } from './wait.ts'
import type { WrapperBox } from './wrapper-box.ts'

const storyMs = 90_000

/**
 * The Claude of a mission starts three missions, waits for all, reads their answers, sends one back, lands two and stops
 * them, all in one turn of its Bash tool. The user has allowed it to land these two.
 */
export async function playOperatorStory(box: WrapperBox): Promise<void> {
  const bench = gitBench(box.root, box.env)
  bench.repo('src/app', { 'README.md': 'hello\n' })
  box.agenc(['repo', 'add', './src/app', '--trust'])
  box.agenc(['config', 'set', 'approvals.delay_ms', '0'])
  box.agenc(['config', 'set', 'approvals.mode', 'all'])
  const landing = ['one', 'two'].map(name => `agenc mission pull ${name} --squash --into .`)
  for (const command of landing) box.agenc(['approvals', 'allow', command])

  const out = join(box.root, 'out')
  const printed = (name: string) => readFileSync(join(out, name), 'utf8')
  mkdirSync(out)
  const commit = (file: string) => `[[bash echo ${file} >${file} && git add . && git commit -qm ${file}]]`
  writeFileSync(join(out, 'one'), `Do one. ${commit('one.txt')} [[text One is done.]]`)
  writeFileSync(join(out, 'two'), `Do two. ${commit('two.txt')} [[text Two is done.]]`)
  writeFileSync(join(out, 'three'), 'Do three. [[text I need to know more.]]')
  writeFileSync(join(out, 'more'), `Go on. ${commit('three.txt')} [[text Now three is done.]]`)

  const names = ['one', 'two', 'three']
  const script = [
    ...names.map(name => `agenc mission new app --headless --name ${name} --prompt - <${out}/${name}`),
    `agenc mission wait one two three --timeout 60s --json >${out}/waited`,
    `agenc mission print three --last >${out}/first-answer`,
    `agenc mission send three - --wait --timeout 60s <${out}/more >${out}/second-answer`,
    `agenc mission diff three --name-only >${out}/changed`,
    ...landing,
    `agenc mission ls --tree >${out}/tree`,
    'agenc mission stop one two three',
    `echo over >${out}/over`,
  ]
  const prompt = `Run them. ${script.map(command => `[[bash ${command}]]`).join(' ')} [[text All is done.]]`
  const terminal = box.run(['mission', 'new', 'app', '--permission-mode', 'acceptEdits', '--prompt', prompt])
  await waitFor('the end of the story', () => existsSync(join(out, 'over')), storyMs).catch(error => {
    throw new Error(`${error.message}\n${terminal.screen()}`)
  })

  const parent = box.records()[0]!
  await box.until(parent.id, 'idle')
  const waited: { mission: MissionJson; last_message: string }[] = JSON.parse(printed('waited'))
  expect(waited.map(({ last_message }) => last_message)).toEqual([
    'One is done.',
    'Two is done.',
    'I need to know more.',
  ])
  expect([printed('first-answer'), printed('second-answer')]).toEqual([
    'I need to know more.\n',
    'Now three is done.\n',
  ])
  expect(printed('changed')).toBe('three.txt\n')
  expect(printed('tree').match(/[├└]─ /g)).toHaveLength(3)

  const children = box.agencJson<MissionJson[]>(['mission', 'ls']).filter(({ id }) => id !== parent.id)
  expect(children).toHaveLength(3)
  for (const child of children)
    expect(child).toMatchObject({
      status: 'stopped',
      parent_id: parent.id,
      headless: true,
      permission_mode: 'acceptEdits',
      approve: 'all',
    })
  const agent = join('agenc', 'missions', parent.id, 'agent')
  expect(bench.git(agent, 'log', '--format=%s', 'origin/main..').trim().split('\n')).toEqual([
    'two.txt',
    'one.txt',
  ])
  expect(['one.txt', 'two.txt', 'three.txt'].map(file => existsSync(join(box.root, agent, file)))).toEqual([
    true,
    true,
    false,
  ])
}
