import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { editorNames } from '../../src/config/schema.ts'
import { chooseEditor, listEditors } from '../../src/editor/choose-editor.ts'
import { editors } from '../../src/editor/known-editors.ts'
import { displayWarning, openEditor } from '../../src/editor/open-editor.ts'
import { runsInTerminal } from '../../src/editor/terminal-editors.ts'
import { type Runner, systemRunner } from '../../src/system/runner.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

/** A Linux machine with these programs installed. */
function linuxWith(...programs: string[]) {
  const bin = temporaryDirectory()
  install(bin, ...programs)
  return { platform: 'linux' as const, env: { PATH: bin } }
}

function install(bin: string, ...programs: string[]): void {
  for (const program of programs) {
    writeFileSync(join(bin, program), '#!/bin/sh\n')
    chmodSync(join(bin, program), 0o755)
  }
}

function macWith(...apps: string[]) {
  const dir = temporaryDirectory()
  for (const app of apps) mkdirSync(join(dir, `${app}.app`))
  install(dir, 'open')
  return { platform: 'darwin' as const, env: { PATH: dir }, appDirs: [dir] }
}

test('the settings accept the names of all known editors', () => {
  expect(['auto', ...editors.map(editor => editor.name)]).toEqual([...editorNames])
})

test('auto takes the first known editor that is installed', () => {
  const machine = linuxWith('konsole', 'cursor', 'kitty')
  const command = [join(machine.env.PATH, 'cursor'), '{dir}']
  expect(chooseEditor({ name: 'auto' }, machine)).toEqual({
    name: 'cursor',
    kind: 'ide',
    command,
    warnings: [],
  })
})

test('an editor that is not installed gives a warning, and the next one is taken', () => {
  const choice = chooseEditor({ name: 'cursor' }, linuxWith('zed', 'konsole'))
  expect(choice).toMatchObject({ name: 'konsole', warnings: ['cursor is not installed'] })
})

test('after the last known editor the search continues with the first', () => {
  expect(chooseEditor({ name: 'konsole' }, linuxWith('zed')).name).toBe('zed')
})

test('zeditor is preferred to zed, which may be the ZFS daemon', () => {
  expect(chooseEditor({ name: 'zed' }, linuxWith('zed', 'zeditor')).command[0]).toMatch(/\/zeditor$/)
})

test('editor.command is run as given, with the directory last unless {dir} is in it', () => {
  const machine = linuxWith('emacs')
  const emacs = join(machine.env.PATH, 'emacs')
  const own = (...command: string[]) => chooseEditor({ name: 'auto', command }, machine)
  expect(own('emacs', '--chdir={dir}', '-nw')).toMatchObject({
    name: 'emacs',
    command: [emacs, '--chdir={dir}', '-nw'],
  })
  expect(own('emacs', '-nw').command).toEqual([emacs, '-nw', '{dir}'])
  expect(own(emacs).command).toEqual([emacs, '{dir}'])
})

test('an editor.command that is not installed gives a warning, and a known editor is taken', () => {
  const choice = chooseEditor({ name: 'auto', command: ['emacs'] }, linuxWith('zed'))
  expect(choice).toMatchObject({ name: 'zed', warnings: ['emacs (editor.command) is not installed'] })
})

test('an editor.command with a relative path gives a warning, and a known editor is taken', () => {
  const machine = linuxWith('zed')
  const program = relative('.', join(machine.env.PATH, 'zed'))
  expect(program).toMatch(/^\.\.\//)
  const choice = chooseEditor({ name: 'auto', command: [program] }, machine)
  expect(choice).toMatchObject({
    name: 'zed',
    kind: 'ide',
    warnings: [`${program} (editor.command) is not an absolute path`],
  })
})

test('no editor at all is an error that names the setting', () => {
  expect(() => chooseEditor({ name: 'zed' }, linuxWith())).toThrow(
    expect.objectContaining({
      message: expect.stringContaining('Set editor.command'),
      hint: expect.stringContaining('zed is not installed'),
    }),
  )
})

test.each([
  ['without a display, $VISUAL comes first', { VISUAL: 'vim -n', EDITOR: 'nano' }, ['vim', '-n', '{dir}']],
  ['a variable that names no program is passed over', { VISUAL: 'gone', EDITOR: 'nano' }, ['nano', '{dir}']],
  ['with a display, an IDE comes first', { EDITOR: 'nano', DISPLAY: ':0' }, ['code', '{dir}']],
])('auto: %s', (_title, env, [program, ...args]) => {
  const machine = linuxWith('code', 'kitty', 'vim', 'nano')
  Object.assign(machine.env, env)
  expect(chooseEditor({ name: 'auto' }, machine).command).toEqual([join(machine.env.PATH, program!), ...args])
})

test('auto: $EDITOR comes before a terminal, but a terminal that was chosen stays', () => {
  const machine = linuxWith('kitty', 'nano')
  Object.assign(machine.env, { EDITOR: 'nano', DISPLAY: ':0' })
  expect(chooseEditor({ name: 'auto' }, machine).name).toBe('nano')
  expect(chooseEditor({ name: 'kitty' }, machine).name).toBe('kitty')
})

test.each([
  [['vi'], {}, true],
  [['/usr/bin/nvim', '-R'], {}, true],
  [['emacs', '-nw'], { DISPLAY: ':0' }, true],
  [['emacs'], { DISPLAY: ':0' }, false],
  [['emacsclient'], {}, true],
  [['my-ide'], {}, false],
])('editor.command %j with %j runs in a terminal: %s', (command, env, expected) => {
  expect(runsInTerminal({ name: 'x', kind: 'own', command, warnings: [] }, env)).toBe(expected)
})

test('an unknown program in $EDITOR runs in a terminal, a known one with a window does not', () => {
  const choice = (program: string) => ({
    name: program,
    kind: 'variable' as const,
    command: [program],
    warnings: [],
  })
  expect(runsInTerminal(choice('my-editor'), {})).toBe(true)
  expect(runsInTerminal(choice('/usr/bin/code'), {})).toBe(false)
})

test('a directory and a file that is not executable are not programs', () => {
  const machine = linuxWith('kitty')
  mkdirSync(join(machine.env.PATH, 'zed'))
  writeFileSync(join(machine.env.PATH, 'code'), '')
  chmodSync(join(machine.env.PATH, 'code'), 0o644)
  expect(chooseEditor({ name: 'auto' }, machine).name).toBe('kitty')
})

test.each([
  ['zed', 'Zed', ['open', '-a', 'Zed', '{dir}']],
  ['vscode', 'Visual Studio Code', ['open', '-a', 'Visual Studio Code', '{dir}']],
  ['wezterm', 'WezTerm', ['open', '-na', 'WezTerm', '--args', 'start', '--cwd', '{dir}']],
  ['iterm2', 'iTerm', ['open', '-a', 'iTerm', '{dir}']],
  ['terminal-app', 'Terminal', ['open', '-a', 'Terminal', '{dir}']],
])('macOS: %s is opened as an application', (name, app, [open, ...args]) => {
  const machine = macWith(app)
  expect(chooseEditor({ name }, machine).command).toEqual([join(machine.env.PATH, open!), ...args])
})

test('Linux does not look for macOS applications', () => {
  const machine = { ...macWith('iTerm'), platform: 'linux' as const }
  expect(() => chooseEditor({ name: 'iterm2' }, machine)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('iterm2 is not installed') }),
  )
})

test('the list tells which editors are installed and which is chosen', () => {
  const machine = linuxWith('kitty', 'konsole')
  const listed = listEditors({ name: 'zed' }, machine)
  expect(listed.map(({ name }) => name)).toEqual(editors.map(({ name }) => name))
  expect(listed.filter(({ installed }) => installed).map(({ name }) => name)).toEqual(['kitty', 'konsole'])
  expect(listed.filter(({ chosen }) => chosen).map(({ name }) => name)).toEqual(['kitty'])
  const withOwn = listEditors({ name: 'auto', command: ['kitty', '-1'] }, machine)
  expect(withOwn.filter(({ chosen }) => chosen)).toEqual([
    { name: 'kitty', kind: 'own', installed: true, chosen: true },
  ])
  expect(listEditors({ name: 'auto' }, linuxWith()).some(({ chosen }) => chosen)).toBe(false)
})

test('the editor gets the environment without the variables of this terminal', async () => {
  const seen: unknown[] = []
  const choice = { name: 'x', kind: 'own' as const, command: ['x', 'a{dir}b{dir}'], warnings: [] }
  const env = {
    HOME: '/h',
    TMUX: '1',
    TMUX_PANE: '%1',
    WINDOWID: '5',
    AGENC_MISSION_UUID: 'u',
    AGENC_DIRPATH: '/a',
  }
  const start: Runner['start'] = (file, args, { cwd, env }) => {
    seen.push(file, args, cwd, env)
    return systemRunner.start('true', [], { stdio: 'ignore' })
  }
  await openEditor({ ...systemRunner, start }, choice, '/d$&', env)
  expect(seen).toEqual(['x', ['a/d$&b/d$&'], '/d$&', { HOME: '/h', AGENC_DIRPATH: '/a' }])
})

test('a program that cannot be started is an error that names the editor', async () => {
  const choice = { name: 'gone', kind: 'own' as const, command: ['/nowhere/gone', '{dir}'], warnings: [] }
  await expect(openEditor(systemRunner, choice, '/', {})).rejects.toThrow('cannot start gone')
})

test('a missing display gives a warning on Linux only', () => {
  expect(displayWarning('linux', {})).toMatch(/no display/)
  expect(displayWarning('linux', { DISPLAY: ':0' })).toBeNull()
  expect(displayWarning('darwin', {})).toBeNull()
})
