import { closeSync, realpathSync } from 'node:fs'
import { isatty } from 'node:tty'
import { App } from './app.ts'
import { parseArguments } from './claude-arguments.ts'
import { claudePaths } from './claude-files.ts'
import { runHeadless } from './headless.ts'
import { promptFromStdin } from './keyboard-input.ts'
import { planStart } from './startup.ts'

async function main(): Promise<number> {
  const parsed = parseArguments(process.argv.slice(2))
  if ('print' in parsed) {
    const output = parsed.exitCode === 0 ? process.stdout : process.stderr
    output.write(parsed.print)
    return parsed.exitCode
  }
  const { env, stdin, stdout } = process
  const args = parsed.run
  const cwd = realpathSync(process.cwd())
  const paths = claudePaths(env)
  const plan = planStart(args, paths, cwd, env)
  if ('refusal' in plan) return refuse(plan.refusal)
  if (args.print) return runHeadless({ args, env, cwd, paths, ...plan, stdin, stdout })
  if (!stdout.isTTY) return refuse('The stand-in for Claude Code needs a terminal. Run it in one.')
  const prompt = [args.prompt, promptFromStdin(stdin)].filter(Boolean).join('\n')
  const exitCode = await new App({ args, env, cwd, paths, ...plan, prompt, stdin, stdout }).run()
  closeDeadTerminals()
  return exitCode
}

function refuse(message: string): number {
  process.stderr.write(`\u001b[31m${message}\u001b[39m\n`)
  return 1
}

/**
 * Node restores the modes of its terminals when it exits, and aborts if one of them is gone. Node leaves closed
 * descriptors alone.
 */
function closeDeadTerminals(): void {
  for (const descriptor of [0, 1, 2]) {
    if (isatty(descriptor)) continue
    try {
      closeSync(descriptor)
    } catch {
      // The descriptor is already closed.
    }
  }
}

main().then(
  exitCode => process.exit(exitCode),
  error => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    process.exit(1)
  },
)
