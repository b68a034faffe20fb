import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { expect, test } from 'vitest'
import { mergeTask, missionTask, taskLabel, vscodeTasks, zedTasks } from '../../src/editor/task-files.ts'
import { AgencError } from '../../src/errors.ts'

const id = '0b5c2f6e-1111-4222-8333-444455556666'
const task = missionTask(id)
const both = [zedTasks, vscodeTasks]

const zedFile = `// my tasks
[
\t{
\t\t"label": "test", // quick one
\t\t"command": "npm",   "args": ["test"]
\t} // stays with test
\t/* and this too */
]
`

const vscodeFile = `{
    // See the docs
    "version": "2.0.0",
    "tasks": [
        { "label": "build", "type": "shell", "command": "make", }, // trailing
    ],
    "inputs": [],
}
`

function labels(text: string): unknown[] {
  const data = parse(text)
  return (Array.isArray(data) ? data : data.tasks).map((entry: { label: unknown }) => entry.label)
}

/** True if the new text is the old one with one insertion and, before it, one comma. */
function onlyAdds(text: string, before: string): boolean {
  const comma = sharedStart(text, before)
  const rest = text[comma] === ',' ? text.slice(0, comma) + text.slice(comma + 1) : text
  return rest.endsWith(before.slice(sharedStart(rest, before)))
}

function sharedStart(a: string, b: string): number {
  const length = [...a].findIndex((character, index) => character !== b[index])
  return length < 0 ? a.length : length
}

test.each(both)('$path: a new file holds the task', file => {
  const { text } = mergeTask(file, null, task)
  expect(labels(text)).toEqual([taskLabel])
  expect(text).toContain(`"${id}"`)
  expect(JSON.parse(text)).toBeTruthy()
})

test.each([
  ['Zed', zedTasks, zedFile],
  ['VS Code', vscodeTasks, vscodeFile],
])('%s: everything else stays byte for byte', (_name, file, before) => {
  const { text, byHand } = mergeTask(file, before, task)
  expect(labels(text)).toEqual([...labels(before), taskLabel])
  expect(byHand).toEqual([])
  expect(onlyAdds(text, before)).toBe(true)
})

test('a comment after the last task stays with that task', () => {
  const { text } = mergeTask(zedTasks, zedFile, task)
  expect(text.startsWith(zedFile.slice(0, zedFile.indexOf('} // stays')))).toBe(true)
  expect(text).toContain('\t}, // stays with test\n\t/* and this too */\n\t{\n\t\t"label": ')
})

test.each(both)('$path: a second merge changes nothing', file => {
  for (const before of [null, '', '// nothing yet', file === zedTasks ? zedFile : vscodeFile]) {
    const once = mergeTask(file, before, task).text
    expect(mergeTask(file, once, task).text).toBe(once)
  }
})

test('the task of the same label is replaced in place, and an equal one keeps its layout', () => {
  const own = `{"label": "${taskLabel}", "command": "agenc", "args": ["mission", "resume", "old"]}`
  const before = `[ {"label": "a"},  ${own}, /* c */ {"label": "b"} ]`
  const { text } = mergeTask(zedTasks, before, task)
  const [head, tail] = before.split(own)
  expect(text.startsWith(head!)).toBe(true)
  expect(text.endsWith(tail!)).toBe(true)
  expect(parse(text)[1].args).toEqual(task.args)
  const relaid = JSON.stringify(parse(text))
  expect(mergeTask(zedTasks, relaid, task).text).toBe(relaid)
})

test('the byte order mark, CRLF and the file’s own indentation are kept', () => {
  const before = '\ufeff[\r\n      {\r\n            "label": "x"\r\n      }\r\n]\r\n'
  const { text } = mergeTask(zedTasks, before, task)
  expect(
    text.startsWith(
      '\ufeff[\r\n      {\r\n            "label": "x"\r\n      },\r\n      {\r\n            "label": ',
    ),
  ).toBe(true)
  expect(text.replaceAll('\r\n', '')).not.toContain('\n')
})

test.each([
  ['{}', '{\n  "tasks": ['],
  ['{ "version": "2.0.0" }', '{ "version": "2.0.0",\n  "tasks": ['],
  ['{"tasks":[]}', '{"tasks":[\n  {'],
])('VS Code: %s gets the list of tasks', (before, start) => {
  const { text } = mergeTask(vscodeTasks, before, task)
  expect(text.startsWith(start)).toBe(true)
  expect(labels(text)).toEqual([taskLabel])
})

test.each([
  [zedTasks, '[ { "label": ]', /\.zed\/tasks\.json is not valid JSON.*line 1/],
  [zedTasks, '{ "tasks": [] }', /does not hold a list/],
  [vscodeTasks, '[]', /does not hold a list/],
  [vscodeTasks, '{ "tasks": {} }', /does not hold a list/],
  [vscodeTasks, '{\n"tasks": [] \n"x": 1 }', /line 3/],
  [zedTasks, '[] []', /not valid/],
])('an invalid file %# is an error', (file, before, message) => {
  expect(() => mergeTask(file, before, task)).toThrow(message)
  expect(() => mergeTask(file, before, task)).toThrow(AgencError)
})

const handmade = `[
  { "label": "Claude", "command": "claude --dangerously-skip-permissions", "reveal": "never" },
  { "label": "Claude too", "command": "/usr/bin/claude", "args": ["--model", "x", "--dangerously-skip-permissions"] },
  { "label": "careful", "command": "claude", "args": ["--permission-mode", "plan"] },
  { "label": "not it", "command": "claude-helper --dangerously-skip-permissions" },
  { "label": "talk", "command": "echo", "args": ["--dangerously-skip-permissions claude"] },
  null
]
`

test('tasks that skip all permissions are reported and left alone', () => {
  const { text, byHand } = mergeTask(zedTasks, handmade, task)
  expect(byHand).toEqual(['Claude', 'Claude too'])
  expect(text).toContain(handmade.slice(0, handmade.indexOf('  null')))
})

test('replaceByHand: such a task keeps its label and other fields, and starts the mission', () => {
  const { text, byHand } = mergeTask(zedTasks, handmade, task, true)
  expect(byHand).toEqual([])
  expect(parse(text)[0]).toEqual({ label: 'Claude', reveal: 'never', ...task })
  expect(parse(text)[1]).toEqual({ label: 'Claude too', ...task })
  expect(parse(text).slice(2, 6)).toEqual(parse(handmade).slice(2))
  const others = handmade.slice(handmade.indexOf('  { "label": "careful"'), handmade.indexOf('  null'))
  expect(text).toContain(others)
  expect(mergeTask(zedTasks, text, task, true)).toEqual({ text, byHand: [] })
})

test('VS Code: quoted arguments are understood, and a shell task becomes a process task', () => {
  const before = `{ "tasks": [
    { "label": "go", "type": "shell", "command": "claude",
      "args": [{ "value": "--dangerously-skip-permissions", "quoting": "strong" }] }
  ] }`
  expect(mergeTask(vscodeTasks, before, task).byHand).toEqual(['go'])
  const { text } = mergeTask(vscodeTasks, before, task, true)
  expect(parse(text).tasks[0]).toEqual({ label: 'go', type: 'process', ...task })
})

test('a permission mode becomes an option of the command', () => {
  expect(missionTask(id, 'plan').args).toEqual(['mission', 'resume', id, '--permission-mode', 'plan'])
})

test('any file: the result is valid, has the task once, keeps the others, and a second merge changes nothing', () => {
  const entry = fc.record(
    { label: fc.string(), command: fc.string(), extra: fc.jsonValue() },
    { requiredKeys: ['label'] },
  )
  const space = fc.constantFrom(undefined, 1, 2, 4, '\t')
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 4 }), space, fc.boolean(), (entries, indent, isZed) => {
      const file = isZed ? zedTasks : vscodeTasks
      const before = JSON.stringify(isZed ? entries : { version: '2.0.0', tasks: entries }, null, indent)
      const { text } = mergeTask(file, before, task)
      const data = JSON.parse(text)
      const after = isZed ? data : data.tasks
      expect(after).toEqual([...JSON.parse(JSON.stringify(entries)), file.entry(task)])
      expect(mergeTask(file, text, task).text).toBe(text)
    }),
  )
})
