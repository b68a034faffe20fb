import { describe, expect, test } from 'vitest'
import { answer, type Values } from '../../src/cli/completion/candidates.ts'
import type { Tree } from '../../src/cli/completion/command-tree.ts'
import { joinEquals } from '../../src/cli/completion/parse-line.ts'
import tree from '../../src/cli/completion/tree.json' with { type: 'json' }

const noValues: Values = async (kind, command, before) => [
  { value: `<${kind}>`, description: `${command} ${before.join(',')}` },
]

/** The values offered for a line, the cursor at its end. */
async function offered(line: string, values: Values = noValues): Promise<string[] | string> {
  const found = await answer(tree as Tree, line.split(' '), values)
  return typeof found === 'string' ? found : found.map(({ value }) => value)
}

describe('words of the command line', () => {
  test('commands, then their verbs, by what is typed of them', async () => {
    expect(await offered('')).toEqual(expect.arrayContaining(['mission', 'repo', 'setup', 'doctor', 'help']))
    expect(await offered('mis')).toEqual(['mission'])
    expect(await offered('mission re')).toEqual(['resume', 'rename'])
    expect(await offered('nonsense ')).toEqual([])
    expect(await offered('mission nonsense ')).toEqual([])
    expect(await offered('constructor ')).toEqual([])
  })

  test('what is hidden stays hidden', async () => {
    expect(await offered('mission _')).toEqual([])
    expect(await offered('_')).toEqual([])
    expect(await offered('mission new --here')).toEqual([])
  })

  test('options that were not given yet', async () => {
    expect(await offered('mission ls -')).toEqual(['--all', '--json', '--help'])
    expect(await offered('mission ls -a -')).toEqual(['--json', '--help'])
    expect(await offered('mission ls --all --j')).toEqual(['--json'])
    expect(await offered('--v')).toEqual(['--version'])
  })

  test('help takes commands and topics', async () => {
    expect(await offered('help ')).toEqual(expect.arrayContaining(['mission', 'keys', 'exit-codes']))
    expect(await offered('help mission ne')).toEqual(['new'])
    expect(await offered('help keys ')).toEqual([])
  })
})

describe('values', () => {
  test.each([
    ['mission show ', ['<mission>']],
    ['mission show 3f2a ', []],
    ['mission stop 3f2a ', ['<missions>']],
    ['mission new ', ['<repo>']],
    ['mission new --clone ', ['<mission>']],
    ['mission new --name ', ['<text>']],
    ['mission new --name x ', ['<repo>']],
    ['mission new --approve=', ['--approve=<who>']],
    ['mission new --blank --permission-mode ', ['<mode>']],
    ['config set ', ['<key>']],
    ['config set claude.model ', ['<value>']],
  ])('agenc %s', async (line, expected) => {
    expect(await offered(line)).toEqual(expected)
  })

  test('after -- a dash begins a value', async () => {
    const dashed: Values = async () => [{ value: '-v', description: '' }]
    expect(await offered('config set claude.args -- -', dashed)).toEqual(['-v'])
  })

  test('bash splits --name=value into three words, and wants only the last one back', async () => {
    expect(joinEquals(['mission', 'new', '--approve', '=', 'r'])).toEqual(['mission', 'new', '--approve=r'])
    expect(joinEquals(['a', '=', 'b'])).toEqual(['a', '=', 'b'])
    const who: Values = async () => ['ask', 'rules'].map(value => ({ value, description: '' }))
    expect(await offered('mission new --approve = r', who)).toEqual(['rules'])
    expect(await offered('mission new --approve =', who)).toEqual(['ask', 'rules'])
    expect(await offered('mission new --approve=r', who)).toEqual(['--approve=rules'])
  })

  test('the shell completes paths', async () => {
    expect(await offered('repo add ', async () => 'dirs')).toBe('dirs')
  })
})
