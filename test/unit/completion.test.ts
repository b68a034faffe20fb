import { describe, expect, test } from 'vitest'
import { answer, type Values } from '../../src/cli/completion/candidates.ts'
import tree from '../../src/commands/command-tree.json' with { type: 'json' }

/** Offers the name of the kind that was asked for. */
const kinds: Values = async kind => [{ value: `<${kind}>`, description: '' }]

/** The values offered with the cursor at the end of the line. */
async function offered(line: string, values: Values = kinds): Promise<string[] | string> {
  const found = await answer(tree, line.split(' '), values)
  return typeof found === 'string' ? found : found.map(({ value }) => value)
}

describe('completion offers', () => {
  test('commands and verbs that start with the typed text', async () => {
    expect(await offered('')).toEqual(expect.arrayContaining(['mission', 'repo', 'setup', 'doctor', 'help']))
    expect(await offered('mis')).toEqual(['mission'])
    expect(await offered('mission re')).toEqual(['resume', 'review', 'rename'])
    expect(await offered('nonsense ')).toEqual([])
    expect(await offered('mission nonsense ')).toEqual([])
    expect(await offered('constructor ')).toEqual([])
  })

  test('short forms, and after them what belongs to the whole command', async () => {
    expect(await offered('st')).toEqual(['status', 'stop'])
    expect(await offered('ls --a')).toEqual(['--all'])
    expect(await offered('stop ')).toEqual(['<running missions>'])
    expect(await offered('new --clone ')).toEqual(['<mission>'])
    expect(await offered('help att')).toEqual(['attach'])
  })

  test('no hidden commands or options', async () => {
    expect(await offered('mission _')).toEqual([])
    expect(await offered('_')).toEqual([])
    expect(await offered('mission new --here')).toEqual([])
  })

  test('options that are not yet on the line', async () => {
    expect(await offered('mission ls -')).toEqual(['--all', '--tree', '--json', '--help'])
    expect(await offered('mission ls -a -')).toEqual(['--tree', '--json', '--help'])
    expect(await offered('mission ls --all --j')).toEqual(['--json'])
    expect(await offered('--v')).toEqual(['--version'])
  })

  test('commands and topics after help', async () => {
    expect(await offered('help ')).toEqual(expect.arrayContaining(['mission', 'keys', 'exit-codes']))
    expect(await offered('help mission ne')).toEqual(['new'])
    expect(await offered('help keys ')).toEqual([])
  })
})

describe('values are offered for', () => {
  test.each([
    ['mission show ', ['<mission>']],
    ['mission show 3f2a ', []],
    ['mission stop 3f2a ', ['<running missions>']],
    ['mission archive 3f2a ', ['<missions>']],
    ['repo add ', ['<dir>']],
    ['setup --repo ', ['<dir>']],
    ['setup --hotkey ', ['<nothing>']],
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

  test('arguments with a dash after --', async () => {
    const dashed: Values = async () => [{ value: '-v', description: '' }]
    expect(await offered('config set claude.args -- -', dashed)).toEqual(['-v'])
  })

  test('--name=value, which bash splits into three words', async () => {
    const who: Values = async () => ['ask', 'rules'].map(value => ({ value, description: '' }))
    expect(await offered('mission new --approve = r', who)).toEqual(['rules'])
    expect(await offered('mission new --approve =', who)).toEqual(['ask', 'rules'])
    expect(await offered('mission new --approve=r', who)).toEqual(['--approve=rules'])
    expect(await offered('config set a = ', who)).toEqual(['ask', 'rules'])
  })

  test('directories, by the shell', async () => {
    expect(await offered('repo add ', async () => 'dirs')).toBe('dirs')
  })
})
