import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findProgram } from '../../src/system/find-program.ts'
import { sandbox } from '../helpers/cli.ts'
import { writeProgram } from '../helpers/missions.ts'

/** A git server that wants a password, backed by git's own CGI program. */
async function passwordServer(root: string, env: NodeJS.ProcessEnv): Promise<string> {
  const server = createServer((request, response) => {
    const expected = `Basic ${Buffer.from('bob:hunter two').toString('base64')}`
    if (request.headers.authorization !== expected) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="test"' }).end()
      return
    }
    const url = new URL(request.url!, 'http://localhost')
    const cgi = spawn('git', ['http-backend'], {
      env: {
        ...env,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        REMOTE_USER: 'bob',
      },
    })
    request.pipe(cgi.stdin)
    const chunks: Buffer[] = []
    cgi.stdout.on('data', chunk => chunks.push(chunk))
    cgi.on('close', () => {
      const all = Buffer.concat(chunks)
      const end = all.indexOf('\r\n\r\n')
      const headers = all.subarray(0, end).toString().split('\r\n')
      for (const header of headers) response.appendHeader(header.split(': ')[0]!, header.split(': ')[1]!)
      response.end(all.subarray(end + 4))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `127.0.0.1:${address.port}`
}

test('a password in the address of a repo is in no argument list, and is used again for updates', async () => {
  const box = sandbox()
  const [served, bin, seen] = ['served', 'bin', 'seen'].map(name => join(box.root, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [served, bin]) mkdirSync(path)
  const git = findProgram('git', box.env)!
  const run = (...args: string[]) =>
    new Promise(resolve => spawn(git, args, { cwd: served, env: box.env }).on('close', resolve))
  await run('init', '-q', '-b', 'main', 'app.git')
  await run('-C', 'app.git', 'commit', '-q', '--allow-empty', '-m', 'first')
  const host = await passwordServer(served, box.env)

  // The helper that git starts itself shows what git passes on.
  const execPath = join(box.root, 'exec')
  mkdirSync(execPath)
  const own = readdirSync(process.env.GIT_EXEC_PATH ?? gitExecPath(git))
  for (const name of own) {
    const real = join(gitExecPath(git), name)
    writeProgram(join(execPath, name), `printf '%s\\n' "$0 $*" >>${seen}; exec ${real} "$@"`)
  }
  writeProgram(join(bin, 'git'), `printf '%s\\n' "$0 $*" >>${seen}; exec ${git} --exec-path=${execPath} "$@"`)
  const env = { PATH: `${bin}:${box.env.PATH}` }
  writeFileSync(seen, '')
  const added = await box.agencAsync(
    ['repo', 'add', `http://bob:hunter%20two@${host}/app.git`, '--no-trust'],
    {
      env,
    },
  )
  expect(added).toMatchObject({ exitCode: 0 })
  const updated = await box.agencAsync(['repo', 'update'], { env })
  expect(updated).toMatchObject({ exitCode: 0 })
  const started = readFileSync(seen, 'utf8')
  expect(started).toContain('remote-http')
  expect(started).not.toMatch(/hunter/)
  const config = join(box.agencHome, 'repos', added.stdout.trim(), 'config')
  expect(existsSync(config) && readFileSync(config, 'utf8')).toContain(`http://bob:hunter%20two@${host}`)
})

function gitExecPath(git: string): string {
  const { execFileSync } = process.getBuiltinModule('node:child_process')
  return execFileSync(git, ['--exec-path'], { encoding: 'utf8' }).trim()
}
