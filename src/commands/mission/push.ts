import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { type Context, isInteractive } from '../../context.ts'
import { withStore } from '../../db/with-store.ts'
import { usageError } from '../../errors.ts'
import { readyToLand } from '../../git-work/landing.ts'
import { type Pushed, pushWork } from '../../git-work/push.ts'
import { cleanText } from '../../io/text.ts'
import { chooseMission } from '../../mission/choose.ts'
import { interruptible } from '../../system/signals.ts'
import { withHelpOfClaude } from '../../wrapper/ask-claude.ts'
import { pushOptions } from './push-options.ts'

interface Input {
  mission?: string
  as?: string
  forceWithLease?: boolean
  commit?: string
  ask?: boolean
  timeout?: string
  json?: boolean
}

export default defineCommand<Input>({
  description:
    "Push a mission's branch to origin, with your own git credentials, and print the address where a pull request can be opened. Hooks and settings in the mission do not apply.",
  arguments: [{ name: 'mission', description: "its name or id (the start is enough), or '.'" }],
  options: [...pushOptions, quietOption, jsonOption],
  examples: [
    'agenc mission push 3f2a',
    'agenc mission push 3f2a --as fix/login --commit "Fix the login"',
    'agenc mission push 3f2a --force-with-lease',
  ],
  async run(context, { mission: word, as, forceWithLease, commit, ask, timeout, json }) {
    const timeoutMs = pushTimeout(context, timeout)
    await withStore(context, async db => {
      const mission = await chooseMission(context, db, word, { title: 'Push a mission' }, { removed: true })
      const pushed = await interruptible(async signal => {
        const work = await withHelpOfClaude(context, db, mission, ask, now =>
          readyToLand(context, db, now, { commit }),
        )
        return pushWork(context, db, mission, work, { as, forceWithLease, timeoutMs, signal })
      })
      if (json) context.out.line(JSON.stringify({ id: mission.id, ...pushedJson(pushed) }))
      else {
        tellPushed(context, pushed)
        if (pushed.pullRequestUrl) context.out.line(pushed.pullRequestUrl)
      }
    })
    return 0
  },
})

export function pushedJson({ branch, commit, isNew, url, pullRequestUrl }: Pushed) {
  return { branch, commit, pushed: isNew, url, pull_request_url: pullRequestUrl }
}

export function tellPushed({ err }: Context, { branch, commit, isNew, url }: Pushed): void {
  const what = `${cleanText(branch)} (${commit.slice(0, 7)})`
  err.line(isNew ? `Pushed ${what} to ${url}.` : `Already up to date: ${url} has ${what}.`)
}

const defaultSeconds = 300
const mostSeconds = 86_400

/** On a terminal the user sees that nothing happens, and can press Ctrl-C. */
export function pushTimeout(context: Context, seconds: string | undefined): number {
  if (seconds === undefined) return isInteractive(context) ? 0 : defaultSeconds * 1000
  const number = Number(seconds)
  if (!/^\d+(\.\d+)?$/.test(seconds) || number > mostSeconds)
    throw usageError(`${JSON.stringify(seconds)} is not a number of seconds`, 'Write it as in --timeout 60.')
  return number * 1000
}
