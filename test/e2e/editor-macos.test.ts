import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { locateMissions } from '../../src/editor/desktop.ts'
import { presenceJson } from '../../src/editor/mission-presence.ts'
import { windowSystemFor } from '../../src/editor/window-system.ts'
import { type Runner, systemRunner } from '../../src/system/runner.ts'
import { clientsFrom } from '../../src/tmux/clients.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

/** Programs that print a prepared answer and log how they were called, because these tests do not run on a Mac. */
function standIns(answers: Record<string, string>): { exec: Runner; calls(): string[] } {
  const dir = temporaryDirectory()
  const log = join(dir, 'calls')
  for (const [program, body] of Object.entries(answers)) {
    const script = `#!/bin/sh\necho "${program} $1" >>'${log}'\n${body}\n`
    writeFileSync(join(dir, program), script)
    chmodSync(join(dir, program), 0o755)
  }
  const env = { PATH: `${dir}:/usr/bin:/bin` }
  const capture: Runner['capture'] = (file, args, options) =>
    systemRunner.capture(file, args, { ...options, env })
  return { exec: { ...systemRunner, capture }, calls: () => readFileSync(log, 'utf8').trim().split('\n') }
}

const processes = `cat <<'END'
    1     0 Ss   ??       Sun Nov 16 01:00:00 2025 /sbin/launchd
  410     1 S    ??       Sun Nov 16 01:00:09 2025 /Applications/iTerm.app/Contents/MacOS/iTerm2
  733   410 Ss   ttys003  Sun Nov 16 01:12:13 2025 /usr/bin/login
  734   733 S    ttys003  Sun Nov 16 01:12:13 2025 -zsh
  740   734 S+   ttys003  Sun Nov 16 01:12:20 2025 tmux
  500     1 Ss   ??       Sun Nov 16 01:12:20 2025 tmux
  501   500 Ss+  ttys004  Sun Nov 16 01:12:21 2025 /opt/homebrew/bin/node
  502   501 S+   ttys004  Sun Nov 16 01:12:22 2025 claude
  600     1 Ss   ??       Sun Nov 16 01:00:00 2025 sshd: anna@ttys009
  601   600 S+   ttys009  Sun Nov 16 01:00:00 2025 claude
  700     1 S    ??       Sun Nov 16 01:30:00 2025 /Applications/Zed.app/Contents/MacOS/zed
  701   700 Ss+  ttys011  Sun Nov 16 01:30:01 2025 claude
  800     1 S    ??       Sun Nov 16 01:30:01 2025 claude
END`

const windows = `echo '[{"id":81,"pid":410,"title":"abcd1234 web"},{"id":82,"pid":410,"title":"notes"},{"id":90,"pid":700,"title":""}]'`

const tmuxAnswer = (clients: string) => `printf '${clients}pane\\t500\\t/dev/ttys004\\t$0\\n'`
const client = 'client\\t500\\t740\\t$0\\t1794794917\\t\\n'

function seeOnMac(tmux: string, osascript: string) {
  const { exec, calls } = standIns({ ps: processes, osascript, tmux })
  const windows = windowSystemFor('darwin', {}, exec)
  const mac = { platform: 'darwin' as const, exec, windows, tmux: clientsFrom({ env: {}, exec }, null) }
  const missions = [502, 601, 701, 800, 900].map(wrapper_pid => ({ wrapper_pid, short_id: 'abcd1234' }))
  const seen = locateMissions(mac, missions).map(presenceJson)
  return { seen, calls: calls() }
}

test('macOS, with prepared answers: tmux in iTerm, ssh, Zed, an orphan, no process', () => {
  const { seen, calls } = seeOnMac(tmuxAnswer(client), windows)
  expect(seen).toEqual([
    { editor_open: true, window_id: '81', editor_type: 'iTerm2', presence: 'windowed' },
    { editor_open: false, window_id: null, editor_type: null, presence: 'remote' },
    { editor_open: true, window_id: '90', editor_type: 'zed', presence: 'windowed' },
    { editor_open: false, window_id: null, editor_type: null, presence: 'orphan' },
    { editor_open: false, window_id: null, editor_type: null, presence: 'none' },
  ])
  expect(calls).toEqual(['ps -axww', 'tmux -u', 'osascript -l'])
})

test('macOS: detached without a client, terminal without the permission to list windows', () => {
  expect(seeOnMac(tmuxAnswer(''), windows).seen[0]?.presence).toBe('detached')
  const { seen } = seeOnMac(tmuxAnswer(client), 'echo "not allowed assistive access" >&2; exit 1')
  expect(seen.map(({ presence }) => presence)).toEqual(['terminal', 'remote', 'terminal', 'orphan', 'none'])
})
