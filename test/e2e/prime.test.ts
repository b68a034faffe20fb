import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot, sandbox } from '../helpers/cli.ts'
import { waitFor } from '../helpers/wait.ts'
import { wrapperBox } from '../helpers/wrapper-box.ts'

const page = readFileSync(join(projectRoot, 'docs', 'for-agents.md'), 'utf8')

describe('agenc prime', () => {
  test('prints the page for agents, which is short enough for a prompt', () => {
    const { agenc, agencJson } = sandbox()
    expect(agenc(['prime'])).toEqual({ exitCode: 0, stdout: page, stderr: '' })
    expect(agencJson(['prime'])).toEqual({ text: page })
    expect(Buffer.byteLength(page)).toBeLessThan(4096)
  })

  test('with claude.prime every conversation begins with it, also after /clear', {
    timeout: 60_000,
  }, async () => {
    const box = wrapperBox()
    box.agenc(['config', 'set', 'claude.prime', 'true'])
    const { id, terminal } = await box.mission()
    await box.turn(id, terminal, 'Hello. [[text Hello.]]')
    const first = box.record(id).transcript_path!
    expect(toldIn(first)).toEqual([page])
    terminal.type('/clear\r')
    await waitFor('the new conversation', () => box.record(id).transcript_path !== first)
    await box.turn(id, terminal, 'Again. [[text Again.]]')
    const second = box.record(id).transcript_path!
    expect(toldIn(second)).toEqual([page])
    terminal.type('/exit\r')
    await terminal.exited
    const resumed = box.run(['mission', 'resume', id])
    await box.ready(id)
    await box.turn(id, resumed, 'More. [[text More.]]')
    expect(toldIn(second)).toEqual([page])
  })

  test('without the setting no conversation has it', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission()
    await box.turn(id, terminal, 'Hello. [[text Hello.]]')
    expect(toldIn(box.record(id).transcript_path!)).toEqual([])
  })
})

/** What hooks have told the model of this conversation. */
function toldIn(transcript: string): string[] {
  const lines = readFileSync(transcript, 'utf8').split('\n').filter(Boolean)
  const attachments = lines.map(line => JSON.parse(line).attachment)
  return attachments.flatMap(it => (it?.type === 'hook_additional_context' ? it.content : []))
}

describe('agenc skill', () => {
  const mode = (path: string) => statSync(path).mode & 0o777

  test('is written only when asked, privately, and says where', () => {
    const box = sandbox()
    const path = join(box.home, '.claude', 'skills', 'agenc', 'SKILL.md')
    box.agenc(['prime'])
    expect(existsSync(path)).toBe(false)
    expect(box.agenc(['skill', 'install'])).toEqual({ exitCode: 0, stdout: '', stderr: `Wrote ${path}\n` })
    const text = readFileSync(path, 'utf8')
    expect(text).toMatch(/^---\nname: agenc\ndescription: .+\n---\n\n# /)
    expect(text).toContain(page)
    expect([mode(path), mode(dirname(path))]).toEqual([0o600, 0o700])
    expect(box.agencJson(['skill', 'install'])).toEqual({ path, written: false })
    expect(box.agencJson(['skill', 'rm'])).toEqual({ path, removed: true })
    expect(existsSync(dirname(path))).toBe(false)
    expect(box.agencJson(['skill', 'rm'])).toEqual({ path, removed: false })
  })

  test('goes to the directory that CLAUDE_CONFIG_DIR names', () => {
    const box = sandbox()
    const directory = join(box.root, 'other')
    const { exitCode } = box.agenc(['skill', 'install'], { env: { CLAUDE_CONFIG_DIR: directory } })
    expect(exitCode).toBe(0)
    expect(existsSync(join(directory, 'skills', 'agenc', 'SKILL.md'))).toBe(true)
    expect(existsSync(join(box.home, '.claude'))).toBe(false)
  })

  test('replaces what an older agenc has written, and nothing else without --force', () => {
    const box = sandbox()
    const path = join(box.home, '.claude', 'skills', 'agenc', 'SKILL.md')
    box.agenc(['skill', 'install'])
    const own = readFileSync(path, 'utf8')
    for (const text of [own.replace('# agenc', '# mine'), `${own}\nmine`, 'mine', '']) {
      writeFileSync(path, text)
      for (const args of [
        ['skill', 'install'],
        ['skill', 'rm'],
      ]) {
        const { exitCode, stderr } = box.agenc(args)
        expect(exitCode).toBe(1)
        expect(stderr).toContain('was changed since')
      }
      expect(readFileSync(path, 'utf8')).toBe(text)
    }
    expect(box.agenc(['skill', 'install', '--force']).exitCode).toBe(0)
    expect(readFileSync(path, 'utf8')).toBe(own)
    const hash = createHash('sha256').update('older\n').digest('hex').slice(0, 16)
    writeFileSync(path, `older\n<!-- written by agenc, ${hash} -->\n`)
    expect(box.agenc(['skill', 'install']).exitCode).toBe(0)
    expect(readFileSync(path, 'utf8')).toBe(own)
    box.agenc(['skill', 'rm'])
    expect(existsSync(path)).toBe(false)
  })

  test('does not write through a link that leads elsewhere', () => {
    const box = sandbox()
    const path = join(box.home, '.claude', 'skills', 'agenc', 'SKILL.md')
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(join(box.root, 'elsewhere'), path)
    expect(box.agenc(['skill', 'install']).exitCode).toBe(1)
    expect(existsSync(join(box.root, 'elsewhere'))).toBe(false)
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
  })
})
