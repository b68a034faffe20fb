import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { isAgencError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import { tmuxOf } from '../tmux/server.ts'
import { requireTmux } from '../tmux/tmux-version.ts'
import { userKey } from '../tmux/user-keys.ts'
import { type Finding, ok, problem, warning } from './findings.ts'

export function checkTmux({ exec, env }: Context): Finding {
  try {
    return ok('tmux', requireTmux(exec, env))
  } catch (error) {
    if (!isAgencError(error)) throw error
    return problem('tmux', error.message, error.hint ?? 'Install tmux 3.2 or newer.')
  }
}

interface ServerOption {
  check: string
  option: string
  isFine: (value: string) => boolean
  otherwise: string
  line: string
}

const serverOptions: readonly ServerOption[] = [
  {
    check: 'tmux-extended-keys',
    option: 'extended-keys',
    isFine: value => value === 'on' || value === 'always',
    otherwise: 'Claude cannot tell Shift+Enter from Enter',
    line: 'set -s extended-keys on',
  },
  {
    check: 'tmux-focus-events',
    option: 'focus-events',
    isFine: value => value === 'on',
    otherwise: 'Claude cannot know whether you are looking at its window',
    line: 'set -s focus-events on',
  },
  {
    check: 'tmux-clipboard',
    option: 'set-clipboard',
    isFine: value => value !== 'off',
    otherwise: 'text copied in tmux does not reach the clipboard of your desktop',
    line: 'set -s set-clipboard external',
  },
]

/** Asks the running server. Reading tmux.conf instead would miss options that were set in other ways. */
export function checkTmuxOptions(context: Context): Finding[] {
  const tmux = tmuxOf(context)
  const answer = tmux.ask(...serverOptions.map(({ option }) => ['show-options', '-sv', option]))
  if (answer.kind === 'no-server') return [ok('tmux-options', 'not checked: no tmux server is running')]
  if (answer.kind === 'failed')
    return [warning('tmux-options', `tmux does not answer: ${answer.message}`, "Check that 'tmux ls' works.")]
  return [
    ...serverOptions.map((option, index) => judgeOption(option, answer.lines[index] ?? '')),
    checkPlugins(context),
  ]
}

function judgeOption({ check, option, isFine, otherwise, line }: ServerOption, value: string): Finding {
  if (isFine(value)) return ok(check, `${option} is ${value}`)
  return warning(
    check,
    `${option} is ${value || 'not set'}: ${otherwise}`,
    `Add to ~/.tmux.conf: ${line} (for the running server: tmux ${line})`,
  )
}

function checkPlugins(context: Context): Finding {
  const answer = tmuxOf(context).ask(['show-options', '-g'], ['list-keys'])
  const lines = answer.kind === 'ok' ? answer.lines : []
  const restores = lines.some(line => /^@continuum-restore\s+"?on"?$/.test(line))
  const isLoaded = lines.some(line => /tmux-resurrect|^@resurrect-/.test(line))
  if (restores) {
    return warning(
      'tmux-plugins',
      'tmux-continuum restores sessions by itself; it would bring missions back as empty windows',
      "After a restart, run 'tmux kill-session -t =agenc' and then 'agenc tmux restore'.",
    )
  }
  return isLoaded
    ? ok('tmux-plugins', "tmux-resurrect is loaded; use 'agenc tmux restore' to bring missions back")
    : ok('tmux-plugins', 'no plug-in restores sessions')
}

/** A key that the user has bound keeps its binding, except in the agenc session. */
export function checkKey(context: Context, { tmux: { prefix_key: key } }: Config): Finding {
  try {
    const found = userKey(context, key)
    if (found === null) return ok('tmux-key', `prefix ${key}; tmux did not say whether it is bound`)
    if (found.binding === null) return ok('tmux-key', `${found.prefix} ${key} is free`)
    return warning(
      'tmux-key',
      `${found.prefix} ${key} is bound in your tmux (${cleanText(found.binding)}); in the agenc session, it opens agenc's keys instead`,
      'Keep it, or choose another key: agenc config set tmux.prefix_key <key>',
    )
  } catch (error) {
    if (!isAgencError(error)) throw error
    return problem(
      'tmux-key',
      error.message,
      error.hint ?? 'Choose another key: agenc config set tmux.prefix_key <key>',
    )
  }
}
