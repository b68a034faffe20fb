import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { registry } from '../../src/commands/registry.ts'
import { projectRoot } from '../helpers/cli.ts'

/** All files that are committed or could be. Without git, every file in the directory. */
function projectFiles(): string[] {
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: projectRoot,
    encoding: 'utf8',
  })
  const names =
    listed.status === 0
      ? listed.stdout.split('\0').filter(name => name !== '')
      : readdirSync(projectRoot, { recursive: true, encoding: 'utf8' })
  return names.filter(name => !/^(node_modules|dist|\.git)(\/|$)/.test(name)).filter(isFile)
}

function isFile(name: string): boolean {
  return (
    /\.[a-z]+$|^\.?[A-Za-z]+$|\/run$/.test(name) && existsSync(join(projectRoot, name)) && !isDirectory(name)
  )
}

function isDirectory(name: string): boolean {
  try {
    readdirSync(join(projectRoot, name))
    return true
  } catch {
    return false
  }
}

const files = projectFiles()
const text = (name: string) => readFileSync(join(projectRoot, name), 'utf8')
const pages = files.filter(name => name.endsWith('.md'))

describe('the repository', () => {
  test('contains no path of the machine it was written on', () => {
    // Joined from parts, so that this file does not contain them either.
    const paths = [
      projectRoot,
      join(homedir(), '.npm'),
      ['', 'work', ''].join('/'),
      ['', 'tmp', 'agenc'].join('/'),
    ]
    expect(files.filter(name => paths.some(path => text(name).includes(path)))).toEqual([])
  })

  test('has a lock file without registry addresses, and with packages for every system', () => {
    const { packages } = JSON.parse(text('package-lock.json')) as {
      packages: Record<
        string,
        { resolved?: string; version?: string; optionalDependencies?: Record<string, string> }
      >
    }
    const entries = Object.entries(packages).filter(([path]) => path !== '')
    expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
    expect(text('package-lock.json')).not.toMatch(/registry|\.tgz/)
    for (const [path, { optionalDependencies = {} }] of entries) {
      // npm ci rejects a lock file that lacks the packages of other systems.
      const missing = Object.keys(optionalDependencies).filter(name => !isLocked(packages, path, name))
      expect(missing, path).toEqual([])
    }
  })
})

function isLocked(packages: Record<string, unknown>, path: string, name: string): boolean {
  return `${path}/node_modules/${name}` in packages || `node_modules/${name}` in packages
}

describe('docs', () => {
  test('every link has a target', () => {
    const broken = pages.flatMap(page =>
      [...text(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, target]) => target!)
        .filter(target => !/^[a-z]+:/.test(target))
        .filter(target => !existsSync(resolve(projectRoot, dirname(page), target)))
        .map(target => `${page} → ${target}`),
    )
    expect(broken).toEqual([])
  })

  test('every file named in the architecture, the decisions and CONTRIBUTING exists', () => {
    const named = pages
      .filter(
        page =>
          page === 'docs/architecture.md' || page.startsWith('docs/decisions/') || page === 'CONTRIBUTING.md',
      )
      .flatMap(page =>
        [...text(page).matchAll(/`((?:src|bin|scripts|test|docs|types|schema)\/[\w./-]*)`/g)].map(
          ([, path]) => ({
            page,
            path: path!,
          }),
        ),
      )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter(({ path }) => !existsSync(join(projectRoot, path)))).toEqual([])
  })

  test('every command named in a page exists', () => {
    const unknown = pages.flatMap(page =>
      [...text(page).matchAll(/(?:^|[`$ ])agenc ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/gm)]
        .filter(([line]) => /[`$]/.test(line))
        .filter(([, noun, verb]) => !isCommand(noun!, verb))
        .map(([, noun, verb]) => `${page}: agenc ${noun} ${verb ?? ''}`),
    )
    expect(unknown).toEqual([])
  })

  test('CONTRIBUTING quotes the three example tests as they are', () => {
    const quoted = [...text('CONTRIBUTING.md').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
    const examples = ['unit', 'tmux', 'e2e'].map(kind => text(`test/${kind}/first-test.test.ts`))
    expect(quoted).toEqual(examples)
  })

  test('the architecture page names every directory of src', () => {
    const rooms = readdirSync(join(projectRoot, 'src'), { withFileTypes: true })
      .filter(entry => entry.isDirectory())
      .map(entry => entry.name)
    const page = text('docs/architecture.md')
    expect(rooms.filter(room => !page.includes(`\`src/${room}/\``))).toEqual([])
  })

  test('CI runs the test command from the README', () => {
    expect(text('README.md')).toContain('npm test')
    expect(text('.ci/run').trimEnd().split('\n').at(-1)).toBe('npm test')
  })
})

function isCommand(noun: string, verb: string | undefined): boolean {
  if (Object.hasOwn(registry.topLevel, noun) || Object.hasOwn(registry.shortForms, noun)) return true
  if (!Object.hasOwn(registry.nouns, noun)) return false
  return verb === undefined || Object.hasOwn(registry.nouns[noun]!.verbs, verb)
}
