import { expect, test } from 'vitest'
import { requestInFull } from '../../src/approvals/request-in-full.ts'

const directory = '/home/me/.agenc/missions/1/agent'
const inFull = (tool: string, input: Record<string, unknown>) => requestInFull(tool, input, directory)

test('a command is shown with all its lines, and paths in the mission are relative', () => {
  const command = `cd ${directory}/src\nmake all`
  expect(inFull('Bash', { command, description: 'Build' })).toBe(
    'Asks: Bash\n  cd ./src\n  make all\ndescription: Build',
  )
})

test('a file is shown with its path and its content', () => {
  expect(inFull('Write', { file_path: `${directory}/a.txt`, content: 'one\n\ttwo' })).toBe(
    'Asks: Write\nfile_path: a.txt\ncontent:\n  one\n      two',
  )
})

test('questions are shown with their options, and plans as text', () => {
  const options = [{ label: 'A', description: 'the first' }, { label: 'B' }]
  expect(inFull('AskUserQuestion', { questions: [{ question: 'Which?', options }] })).toBe(
    'Asks: Which?\n  - A: the first\n  - B',
  )
  expect(inFull('ExitPlanMode', { plan: '# Plan\n1. Go' })).toBe(
    'Asks you to approve its plan\n\n# Plan\n1. Go',
  )
})

test('secrets are masked and escape sequences removed, in every field', () => {
  const text = inFull('mcp__shop__buy', {
    api_key: 'abcdef',
    note: '\u001b[31mred\u001b]0;title\u0007\u001b[0m',
    nested: { password: 'hunter2', list: [1] },
  })
  expect(text).toBe('Asks: mcp__shop__buy\napi_key: ***\nnote: red\nnested: {"password":"***","list":[1]}')
  expect(inFull('Bash', { command: 'curl -H "Authorization: Bearer abcdefghijkl"' })).not.toContain(
    'abcdefgh',
  )
})

test('input of any form is shown', () => {
  expect(inFull('AskUserQuestion', { questions: 'none' })).toBe('Asks: AskUserQuestion\nquestions: none')
  expect(inFull('Bash', { command: 5 })).toBe('Asks: Bash\ncommand: 5')
  expect(inFull('Bash', {})).toBe('Asks: Bash')
})
