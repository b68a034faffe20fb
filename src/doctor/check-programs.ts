import type { Context } from '../context.ts'
import { windowSystemFor } from '../editor/window-system.ts'
import { howToOpenMoreFiles } from '../errors.ts'
import { shortageOfFiles } from '../io/explain-failure.ts'
import { isAtLeast } from '../system/program-version.ts'
import { type Finding, ok, problem, warning } from './findings.ts'

const oldestNode = '20.17'

export function checkNode(version: string = process.versions.node): Finding {
  return isAtLeast(version, oldestNode)
    ? ok('node', `Node ${version}`)
    : problem('node', `Node ${version} is too old`, `Install Node ${oldestNode} or newer.`)
}

/** With too few open files, other checks fail for reasons that they do not know. */
export function checkOpenFiles(): Finding[] {
  if (shortageOfFiles() === null) return []
  return [problem('open-files', 'too many open files', howToOpenMoreFiles)]
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
    'fzf is not installed; agenc uses a slower search prompt without a preview',
    'Install it: apt-get install fzf, or brew install fzf',
  )
}

export function checkWindows({ env, exec }: Context): Finding {
  const found = windowSystemFor(process.platform, env, exec).problem()
  if (found === null) return ok('windows', 'agenc can find the windows of editors and terminals')
  const remedy = /install wmctrl/.test(found)
    ? 'Install it: apt-get install wmctrl'
    : "Missions work without it, but 'mission focus' opens a new editor window."
  return warning('windows', found, remedy)
}
