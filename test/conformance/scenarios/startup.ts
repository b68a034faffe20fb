import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { keys, leave, type Scenario } from '../scenario.ts'

export const startup: Scenario[] = [
  {
    name: 'an untrusted directory: Enter declines, Esc and SIGTERM exit',
    trusted: false,
    play: async bench => {
      const args = ['--settings', bench.hooks.settings()]
      const no = bench.start(args)
      await bench.untilStartupDialog(no, /❯ No, exit/)
      no.send(keys.enter)
      await bench.ended(no)
      const cancelled = bench.start(args)
      await bench.untilStartupDialog(cancelled, /❯ No, exit/)
      cancelled.send(keys.esc)
      await bench.ended(cancelled)
      const stopped = bench.start(args)
      await bench.untilStartupDialog(stopped, /❯ No, exit/)
      stopped.kill('SIGTERM')
      await bench.ended(stopped)
      return stopped.modes()
    },
  },
  {
    name: 'trusting a directory does not cover a repository inside it',
    trusted: false,
    play: async bench => {
      const terminal = bench.start(['--permission-mode', 'manual', '--settings', bench.hooks.settings()])
      await bench.untilStartupDialog(terminal, /❯ No, exit/)
      terminal.send(keys.down)
      await bench.untilScreen(terminal, /❯ Yes, I trust/)
      terminal.send(keys.enter)
      await bench.untilReady(terminal)
      await leave(bench, terminal)
      const inner = join(bench.cwd, 'inner')
      mkdirSync(join(inner, '.git'), { recursive: true })
      const repository = bench.start([], { cwd: inner })
      await bench.untilStartupDialog(repository, /❯ No, exit/)
      repository.send(keys.enter)
      await bench.ended(repository)
      return bench.claudeJson().projects?.[bench.cwd]?.hasTrustDialogAccepted
    },
  },
  {
    name: 'an unknown hook event opens a warning before the session starts',
    play: async bench => {
      const args = [
        '--permission-mode',
        'manual',
        '--settings',
        bench.hooks.settings({ Nonsense: { command: 'true' } }),
      ]
      const terminal = bench.start(args)
      await bench.untilStartupDialog(terminal, /Settings Warning/)
      const before = { events: bench.events().length, statusFile: bench.hasStatusFile(terminal) }
      terminal.send(keys.enter)
      await bench.untilReady(terminal)
      await leave(bench, terminal)
      const fix = bench.start(args)
      await bench.untilStartupDialog(fix, /Settings Warning/)
      fix.send('3')
      await bench.ended(fix)
      return before
    },
  },
  {
    name: 'a settings file with invalid JSON opens an error dialog',
    play: async bench => {
      const terminal = bench.start(['--settings', bench.writeFile('bad.json', '{"hooks": ')])
      await bench.untilStartupDialog(terminal, /Settings Error/)
      terminal.send('2')
      await bench.ended(terminal)
    },
  },
  {
    name: 'bypassPermissions asks for confirmation',
    play: async bench => {
      bench.writeFile('home/.claude/settings.json', '{}')
      const args = ['--permission-mode', 'bypassPermissions', '--settings', bench.hooks.settings()]
      const terminal = bench.start(args, { env: { IS_SANDBOX: '1' } })
      await bench.untilStartupDialog(terminal, /❯ No, exit/)
      terminal.send(keys.enter)
      await bench.ended(terminal)
    },
  },
]
