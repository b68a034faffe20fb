import type { Context } from '../context.ts'
import { windowSystemFor } from '../editor/windows/window-system.ts'
import { isAgencError } from '../errors.ts'
import { requireTmux } from '../tmux/tmux-version.ts'
import { type Finding, ok, problem, warning } from './findings.ts'

const oldestNode = [20, 17] as const

export function checkNode(version: string = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])
  return isOld
    ? problem('node', `Node ${version} is too old`, `Install Node ${oldestNode.join('.')} or newer.`)
    : ok('node', `Node ${version}`)
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

export function checkWindows({ env, exec }: Context): Finding {
  const found = windowSystemFor(process.platform, env, exec).problem()
  if (found === null) return ok('windows', 'windows of editors and terminals can be found')
  const remedy = /install wmctrl/.test(found)
    ? 'Install it: apt-get install wmctrl'
    : "Missions work without; 'mission focus' then opens the editor anew."
  return warning('windows', found, remedy)
}
