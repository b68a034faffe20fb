import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot, sandbox } from '../helpers/cli.ts'
import { gitBench } from '../helpers/git.ts'

const packageJson = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))

/**
 * Packs the better-sqlite3 that was compiled here as if it were one of its prebuilt releases. The package's real install
 * script then finds it through its own option, instead of compiling for a minute and a half. `npm ci` has already shown
 * that compiling works.
 */
function localPrebuilds(directory: string): string {
  mkdirSync(directory)
  const source = join(createRequire(import.meta.url).resolve('better-sqlite3/package.json'), '..')
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  const name = `better-sqlite3-v${version}-node-v${process.versions.modules}-${process.platform}-${process.arch}.tar.gz`
  const packed = spawnSync('tar', [
    'czf',
    join(directory, name),
    '-C',
    source,
    'build/Release/better_sqlite3.node',
  ])
  expect(packed.status).toBe(0)
  return directory
}

async function npm(args: string[], options: { cwd: string; env?: NodeJS.ProcessEnv }): Promise<string> {
  const child = spawn('npm', args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let stdout = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    output += text
  })
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
    stdout += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`npm ${args.join(' ')} → ${code}\n${output}`)
  return stdout
}

test('the packed tarball can be installed globally and used', { timeout: 180_000 }, async () => {
  const box = sandbox()
  const prefix = join(box.root, 'prefix')
  // prepack would build again and delete the files of this build, which the other tests are using.
  expect(packageJson.scripts.prepack).toBe('node scripts/build.mjs --clean')
  const args = ['pack', '--json', '--silent', '--ignore-scripts', '--pack-destination', box.root]
  const packed = JSON.parse(await npm(args, { cwd: projectRoot }))
  const { filename, files } = packed[0] as { filename: string; files: { path: string }[] }
  const paths = files.map(({ path }) => path)
  for (const path of [
    'LICENSE',
    'README.md',
    'CHANGELOG.md',
    'bin/agenc.cjs',
    'dist/main.js',
    'dist/THIRD-PARTY.txt',
  ])
    expect(paths).toContain(path)
  expect(
    paths.filter(path => !/^(bin|dist|schema|types)\/|^[A-Z]+(\.md)?$|^package\.json$/.test(path)),
  ).toEqual([])

  await npm(
    [
      'install',
      '--global',
      '--prefix',
      prefix,
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      join(box.root, filename),
    ],
    {
      cwd: box.root,
      env: { npm_config_better_sqlite3_local_prebuilds: localPrebuilds(join(box.root, 'prebuilds')) },
    },
  )
  const agenc = (...args: string[]) => {
    const done = spawnSync(join(prefix, 'bin', 'agenc'), args, {
      env: box.env,
      cwd: box.root,
      encoding: 'utf8',
    })
    expect(done.status, done.stderr).toBe(0)
    return done.stdout
  }
  expect(agenc('--version')).toBe(`${packageJson.version}\n`)
  agenc('config', 'set', 'claude.permission_mode', 'plan')
  expect(agenc('config', 'get', 'claude.permission_mode')).toBe('plan\n')
  gitBench(box.root, box.env).repo('src/app')
  agenc('repo', 'add', './src/app')
  expect(JSON.parse(agenc('repo', 'ls', '--json'))).toMatchObject([{ id: 'local/src/app' }])
  expect(JSON.parse(agenc('mission', 'ls', '--json'))).toEqual([])

  const installed = realpathSync(join(prefix, 'lib', 'node_modules', 'agenc'))
  expect(existsSync(join(installed, 'dist', 'switcher.sh'))).toBe(true)
  typesCanBeUsed(join(prefix, 'lib'), box.root)
})

/** Compiles a program that depends on agenc, in strict mode and with our own declaration file checked. */
function typesCanBeUsed(installation: string, root: string): void {
  const source = join(installation, 'use.mts')
  writeFileSync(
    source,
    `import type { Mission, Status } from 'agenc'
const missions: Mission[] = JSON.parse('[]')
export const waiting: string[] = missions.filter(({ state }) => state === 'waiting').map(({ short_id }) => short_id)
export const counts = (status: Status): number => status.summary.running
// @ts-expect-error: there is no such key
export const wrong = (mission: Mission) => mission.shortId
`,
  )
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc')
  const args = [
    tsc,
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2022',
    '--types',
    '',
    source,
  ]
  const done = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  expect(done.stdout).toBe('')
  expect(done.status).toBe(0)
}

test('package.json has the published fields and no others', () => {
  expect(packageJson).toMatchObject({
    name: 'agenc',
    license: 'MIT',
    bin: { agenc: 'bin/agenc.cjs' },
    engines: { node: '>=20.17' },
    types: './types/index.d.ts',
  })
  for (const key of ['private', 'repository', 'homepage', 'bugs']) expect(packageJson).not.toHaveProperty(key)
  // All other packages are bundled. A user installs only this one, which has a native part.
  expect(Object.keys(packageJson.dependencies)).toEqual(['better-sqlite3'])
})

test('a build of the same sources has the same files: a running mission may still load them', () => {
  const outdir = join(sandbox().root, 'built')
  const built = spawnSync(process.execPath, ['scripts/build.mjs', '--outdir', outdir], { cwd: projectRoot })
  expect(built.status).toBe(0)
  const files = readdirSync(outdir, { recursive: true, encoding: 'utf8' }).filter(path =>
    path.endsWith('.js'),
  )
  expect(files.length).toBeGreaterThan(100)
  const different = files.filter(path => !isSame(join(outdir, path), join(projectRoot, 'dist', path)))
  expect(different).toEqual([])
})

function isSame(path: string, other: string): boolean {
  return existsSync(other) && readFileSync(path).equals(readFileSync(other))
}
