import { spawnSync } from 'node:child_process'
import { findProgram } from '../../../src/exec/find.ts'
import { systemRunner } from '../../../src/exec/runner.ts'
import { popup } from '../../../src/tmux/keys/actions.ts'
import { switchScript } from '../../../src/tmux/switch-script.ts'
import { tmuxAt } from '../../../src/tmux/tmux.ts'
import type { Box } from './box.ts'
import { agencScript } from './root.ts'

/** The keys as agenc binds them; where this build does not bind them yet, the same popups bound by hand. */
export function bindKeys(box: Box): void {
  box.agenc(['tmux', 'inject-config'])
  const asked = spawnSync('tmux', ['list-keys', '-T', 'agenc', 's'], { env: box.env })
  if (asked.status === 0) return
  const self = [process.execPath, agencScript]
  const fzf = findProgram('fzf', box.env)!
  const switcher = switchScript({ self }, tmuxAt(systemRunner, box.env, null), fzf)
  box.tmux('bind-key', '-T', 'prefix', 'a', 'switch-client', '-T', 'agenc')
  box.tmux('bind-key', '-T', 'agenc', 's', ...popup(switcher))
  box.tmux('bind-key', '-T', 'agenc', 'n', ...popup([...self, 'mission', 'new']))
}
