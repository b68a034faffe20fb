import { execa, type Options } from 'execa'
import { shortageOfFiles } from '../io/explain-failure.ts'
import { systemProbe } from './process-identity.ts'
import { listTree, signalProcesses } from './process-tree.ts'
import type { OutputMode, Result, Runner, StreamOptions } from './runner.ts'

const killDelayMs = 2_000

export async function streamWithExeca(
  runner: Runner,
  file: string,
  args: readonly string[],
  options: StreamOptions,
): Promise<Result> {
  const done = await execaOrShortage(runner, file, args, {
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
      text(done.stderr) ||
      (done.failed && done.exitCode === undefined && !done.signal ? (done.shortMessage ?? '') : ''),
    missing: (done as { code?: string }).code === 'ENOENT',
    timedOut: done.timedOut,
  }
}

/** If the pipes cannot be made, execa throws an error of its own that does not say why. */
async function execaOrShortage(runner: Runner, file: string, args: readonly string[], options: Options) {
  try {
    return await withoutOrphans(runner, file, args, options)
  } catch (error) {
    const shortage = shortageOfFiles()
    throw shortage === null ? error : Object.assign(shortage, { syscall: 'spawn', path: file })
  }
}

/** If the program is cancelled, the programs that it started end too: git leaves its ssh running. */
async function withoutOrphans(runner: Runner, file: string, args: readonly string[], options: Options) {
  let pid: number | undefined
  const endBelow = () => {
    if (pid === undefined) return
    const probe = systemProbe(runner)
    const below = listTree(runner, probe, pid).filter(child => child.pid !== pid)
    signalProcesses(probe, below, 'SIGTERM')
  }
  // Comes before the listener of execa, which ends the program itself: its children can be found only while it lives.
  options.cancelSignal?.addEventListener('abort', endBelow, { once: true })
  try {
    const child = execa(file, args, options)
    pid = child.pid
    return await child
  } finally {
    options.cancelSignal?.removeEventListener('abort', endBelow)
  }
}

function outputs(mode: OutputMode = 'pipe', logPath?: string): Options['stdout'] {
  const shown: ('inherit' | 'pipe')[] = mode === 'both' ? ['inherit', 'pipe'] : [mode]
  return logPath === undefined ? shown : [...shown, { file: logPath, append: true }]
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
