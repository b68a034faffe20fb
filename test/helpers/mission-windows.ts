import { windowLabels } from '../../src/mission/naming.ts'
import { newMissionId } from '../../src/mission-id.ts'
import { becomeMission } from '../../src/tmux/windows.ts'
import type { SessionBox } from './session.ts'

export interface Pretended {
  name?: string
  repo?: string
  state?: string
  isDone?: boolean
  /** As the store has them: JSON. */
  changes?: string
}

/** Opens a window that looks like a mission's, but runs no Claude. Returns the mission's id. */
export function pretendMission(
  box: SessionBox,
  { name, repo, state = 'idle', isDone, changes }: Pretended,
): string {
  const id = newMissionId()
  const window = box.tmux('new-window', '-d', '-t', '=agenc:', '-P', '-F', '#{window_id}', 'exec cat').trim()
  const labels = windowLabels({ id, name: name ?? null, repo: repo ?? null, changes: changes ?? null })
  for (const command of becomeMission(window, { labels, parent: null, self: ['true'], environment: {} }))
    box.tmux(...command)
  box.tmux('set-option', '-w', '-t', window, '@agenc_state', state)
  if (isDone) box.tmux('set-option', '-w', '-t', window, '@agenc_done', '1')
  return id
}
