import type { Context } from '../context.ts'
import { isAgencError } from '../errors.ts'
import { isAtLeast } from '../system/program-version.ts'
import { requireTmux } from '../tmux/tmux-version.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const oldestNode = '20.17'

export function checkNode(version: string = process.versions.node): Finding {
  return isAtLeast(version, oldestNode)
    ? ok('node', `Node ${version}`)
    : problem('node', `Node ${version} is too old`, `Install Node ${oldestNode} or newer.`)
}

export function checkTmux({ exec, env }: Context): Finding {
  try {
    requireTmux(exec, env)
  } catch (error) {
    if (!isAgencError(error)) throw error
    return problem('tmux', error.message, error.hint ?? 'Install tmux 3.2 or newer.')
  }
  return ok('tmux', exec.capture('tmux', ['-V'], { env }).stdout.trim())
}

export function checkGit({ exec, env }: Context): Finding {
  const answer = exec.capture('git', ['--version'], { env })
  if (answer.exitCode === 0) return ok('git', answer.stdout.trim())
  const remedy = 'Install it: apt-get install git, or brew install git'
  return problem('git', answer.missing ? 'git is not installed' : answer.stderr.trim(), remedy)
}

export function checkFzf({ exec, env }: Context): Finding {
  const answer = exec.capture('fzf', ['--version'], { env })
  if (answer.exitCode === 0) return ok('fzf', `fzf ${answer.stdout.trim()}`)
  return warning(
    'fzf',
    'fzf is not installed: a slower search prompt, without a preview, takes its place',
    'Install it: apt-get install fzf, or brew install fzf',
  )
}
