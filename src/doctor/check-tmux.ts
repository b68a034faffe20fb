import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { isAgencError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import { tmuxOf } from '../tmux/server.ts'
import { userKey } from '../tmux/user-keys.ts'
import { type Finding, ok, problem, warning } from './findings.ts'

interface Wish {
  check: string
  option: string
  isFine: (value: string) => boolean
  otherwise: string
  line: string
}

const wishes: readonly Wish[] = [
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
    otherwise: 'Claude does not learn whether you look at its window',
    line: 'set -s focus-events on',
  },
  {
    check: 'tmux-clipboard',
    option: 'set-clipboard',
    isFine: value => value !== 'off',
    otherwise: 'what is copied in tmux does not reach the clipboard of your desktop',
    line: 'set -s set-clipboard external',
  },
]

/** Of the running server; one that is not running cannot be asked, and its file may not be all there is. */
export function checkTmuxOptions(context: Context): Finding[] {
  const tmux = tmuxOf(context)
  const answer = tmux.ask(...wishes.map(({ option }) => ['show-options', '-sv', option]))
  if (answer.kind === 'no-server') return [ok('tmux-options', 'no tmux server runs now, so none was asked')]
  if (answer.kind === 'failed')
    return [warning('tmux-options', `tmux does not answer: ${answer.message}`, "Does 'tmux ls' work?")]
  return [...wishes.map((wish, index) => judge(wish, answer.lines[index] ?? '')), checkPlugins(context)]
}

function judge({ check, option, isFine, otherwise, line }: Wish, value: string): Finding {
  if (isFine(value)) return ok(check, `${option} is ${value}`)
  return warning(
    check,
    `${option} is ${value || 'not set'}: ${otherwise}`,
    `Add to ~/.tmux.conf: ${line} - and for now: tmux ${line}`,
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
      'tmux-continuum restores sessions by itself: of missions it would bring back empty windows',
      "After a restart: tmux kill-session -t =agenc, then 'agenc tmux restore'.",
    )
  }
  return isLoaded
    ? ok(
        'tmux-plugins',
        "tmux-resurrect is loaded; missions come back with 'agenc tmux restore', not with it",
      )
    : ok('tmux-plugins', 'no plug-in that restores sessions')
}

/** Bound by the user, the key loses its use in the agenc session alone. */
export function checkKey(context: Context, { tmux: { prefix_key: key } }: Config): Finding {
  try {
    const found = userKey(context, key)
    if (found === null) return ok('tmux-key', `prefix ${key}; tmux could not be asked what it does now`)
    if (found.binding === null) return ok('tmux-key', `${found.prefix} ${key} is free`)
    return warning(
      'tmux-key',
      `${found.prefix} ${key} is bound in your tmux (${cleanText(found.binding)}); in the agenc session it opens agenc's keys instead`,
      'Keep it, or choose another: agenc config set tmux.prefix_key <key>',
    )
  } catch (error) {
    if (!isAgencError(error)) throw error
    return problem(
      'tmux-key',
      error.message,
      error.hint ?? 'Choose another: agenc config set tmux.prefix_key',
    )
  }
}
