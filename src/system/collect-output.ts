import type { ChildProcess } from 'node:child_process'
import { errorCode } from '../errors.ts'
import type { Result } from './runner.ts'

/** What a program that was started with pipes says, when it has ended. */
export function collect(child: ChildProcess): Promise<Result> {
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  return new Promise(resolve => {
    child.on('error', error => {
      const missing = errorCode(error) === 'ENOENT'
      resolve({ exitCode: null, signal: null, stdout: '', stderr: error.message, missing })
    })
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, ...texts, missing: false }))
  })
}
