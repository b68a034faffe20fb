import { execa, type Options } from 'execa'
import { shortageOfFiles } from '../io/explain-failure.ts'
import type { OutputMode, Result, StreamOptions } from './runner.ts'

const killDelayMs = 2_000

export async function streamWithExeca(
  file: string,
  args: readonly string[],
  options: StreamOptions,
): Promise<Result> {
  const done = await execaOrShortage(file, args, {
    cwd: options.cwd,
    env: options.env,
    extendEnv: options.env === undefined,
    stdin: options.input === undefined ? (options.stdin ?? 'ignore') : 'pipe',
    ...(options.input === undefined ? {} : { input: options.input }),
    stdout: outputs(options.stdout, options.logPath),
    stderr: outputs(options.stderr, options.logPath),
    timeout: options.timeoutMs,
    cancelSignal: options.signal,
    forceKillAfterDelay: killDelayMs,
    reject: false,
    stripFinalNewline: false,
  })
  return {
    exitCode: done.exitCode ?? null,
    signal: (done.signal as NodeJS.Signals | undefined) ?? null,
    stdout: text(done.stdout),
    stderr:
      text(done.stderr) || (done.failed && done.exitCode === undefined ? (done.shortMessage ?? '') : ''),
    missing: (done as { code?: string }).code === 'ENOENT',
    timedOut: done.timedOut,
  }
}

/** If the pipes cannot be made, execa throws an error of its own that does not say why. */
async function execaOrShortage(file: string, args: readonly string[], options: Options) {
  try {
    return await execa(file, args, options)
  } catch (error) {
    const shortage = shortageOfFiles()
    throw shortage === null ? error : Object.assign(shortage, { syscall: 'spawn', path: file })
  }
}

function outputs(mode: OutputMode = 'pipe', logPath?: string): Options['stdout'] {
  const shown: ('inherit' | 'pipe')[] = mode === 'both' ? ['inherit', 'pipe'] : [mode]
  return logPath === undefined ? shown : [...shown, { file: logPath, append: true }]
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
