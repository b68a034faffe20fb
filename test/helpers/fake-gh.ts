import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sandbox } from './cli.ts'
import { writeProgram } from './missions.ts'

export interface GhCall {
  args: string[]
  /** The text in the file that `--body-file` names. */
  body: string
  cwd: string
}

/** A `gh` in the PATH of the sandbox that records its calls. It opens number 12, and knows no pull request before. */
export interface FakeGh {
  calls(): GhCall[]
  answerView(request: { number: number; url: string; state: string }): void
  failCreate(message: string): void
}

export function fakeGh(box: Sandbox): FakeGh {
  const place = join(box.root, 'gh')
  mkdirSync(join(place, 'bin'), { recursive: true })
  const calls = join(place, 'calls')
  mkdirSync(calls)
  const script = [
    `call=${calls}/$(ls ${calls} | wc -l | tr -d ' ')`,
    'mkdir "$call"',
    'pwd >"$call/cwd"',
    'printf "%s\\n" "$@" >"$call/args"',
    '[ -f body.md ] && cp body.md "$call/body"',
    'case "$2" in',
    `view) [ -f ${place}/view ] && exec cat ${place}/view; echo "no pull requests found" >&2; exit 1 ;;`,
    `create) [ -f ${place}/failure ] && { cat ${place}/failure >&2; exit 4; }`,
    '  echo "Creating pull request" >&2; echo https://github.com/acme/app/pull/12 ;;',
    'esac',
  ]
  writeProgram(join(place, 'bin/gh'), script.join('\n'))
  Object.assign(box.env, { PATH: `${join(place, 'bin')}:${box.env.PATH}` })
  const read = (name: string, file: string) => {
    const path = join(calls, name, file)
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }
  return {
    calls: () =>
      readdirSync(calls)
        .sort((a, b) => Number(a) - Number(b))
        .map(name => ({
          args: read(name, 'args').split('\n').slice(0, -1),
          body: read(name, 'body'),
          cwd: read(name, 'cwd').trim(),
        })),
    answerView: request => writeFileSync(join(place, 'view'), JSON.stringify(request)),
    failCreate: message => writeFileSync(join(place, 'failure'), `${message}\n`),
  }
}
