import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { keys, leave, type Scenario } from '../scenario.ts'

export const startup: Scenario[] = [
  {
    name: 'an untrusted directory: no is the default, Esc is another way out',
    trusted: false,
    play: async bench => {
      const args = ['--settings', bench.hooks.settings()]
      const no = bench.start(args)
      await bench.untilDialog(no, /❯ No, exit/)
      no.send(keys.enter)
      await bench.ended(no)
      const cancelled = bench.start(args)
      await bench.untilDialog(cancelled, /❯ No, exit/)
      cancelled.send(keys.esc)
      await bench.ended(cancelled)
      const stopped = bench.start(args)
      await bench.untilDialog(stopped, /❯ No, exit/)
      stopped.kill('SIGTERM')
      await bench.ended(stopped)
      return stopped.modes()
    },
  },
  {
    name: 'an untrusted directory, trusted; a repository in it is not',
    trusted: false,
    play: async bench => {
      const terminal = bench.start(['--permission-mode', 'manual', '--settings', bench.hooks.settings()])
      await bench.untilDialog(terminal, /❯ No, exit/)
      terminal.send(keys.down)
      await bench.untilScreen(terminal, /❯ Yes, I trust/)
      terminal.send(keys.enter)
      await bench.untilReady(terminal)
      await leave(bench, terminal)
      const inner = join(bench.cwd, 'inner')
      mkdirSync(join(inner, '.git'), { recursive: true })
      const repository = bench.start([], { cwd: inner })
      await bench.untilDialog(repository, /❯ No, exit/)
      repository.send(keys.enter)
      await bench.ended(repository)
      return bench.claudeJson().projects?.[bench.cwd]?.hasTrustDialogAccepted
    },
  },
  {
    name: 'an unknown hook event stands in the way',
    play: async bench => {
      const args = [
        '--permission-mode',
        'manual',
        '--settings',
        bench.hooks.settings({ Nonsense: { command: 'true' } }),
      ]
      const terminal = bench.start(args)
      await bench.untilDialog(terminal, /Settings Warning/)
      const before = { events: bench.events().length, statuses: bench.statuses.length }
      terminal.send(keys.enter)
      await bench.untilReady(terminal)
      await leave(bench, terminal)
      const fix = bench.start(args)
      await bench.untilDialog(fix, /Settings Warning/)
      fix.send('3')
      await bench.ended(fix)
      return before
    },
  },
  {
    name: 'a settings file that is no JSON stands in the way',
    play: async bench => {
      const terminal = bench.start(['--settings', bench.writeFile('bad.json', '{"hooks": ')])
      await bench.untilDialog(terminal, /Settings Error/)
      terminal.send('2')
      await bench.ended(terminal)
    },
  },
  {
    name: 'bypassPermissions asks first',
    play: async bench => {
      bench.writeFile('home/.claude/settings.json', '{}')
      const args = ['--permission-mode', 'bypassPermissions', '--settings', bench.hooks.settings()]
      const terminal = bench.start(args, { env: { IS_SANDBOX: '1' } })
      await bench.untilDialog(terminal, /❯ No, exit/)
      terminal.send(keys.enter)
      await bench.ended(terminal)
    },
  },
]
