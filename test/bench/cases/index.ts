import type { RowName } from '../rows.ts'
import type { Case } from './case.ts'
import { commandGrowth, switchGrowth } from './growth.ts'
import { hook } from './hook.ts'
import { idle } from './idle.ts'
import { install } from './install.ts'
import { kill } from './kill.ts'
import { memory } from './memory.ts'
import { newMission } from './new-mission.ts'
import { newPicker, switchPicker } from './pickers.ts'
import { resume } from './resume.ts'
import { helpCase, listCase } from './start-up.ts'
import { workingCopy } from './working-copy.ts'

export const cases: Record<RowName, Case> = {
  'ls-10': listCase(10, 0),
  'ls-1000': listCase(1_000, 20),
  help: helpCase('--help'),
  'mission-help': helpCase('mission', '--help'),
  'switch-picker': switchPicker,
  'new-picker': newPicker,
  hook,
  'new-mission': newMission,
  'working-copy': workingCopy,
  resume,
  idle,
  memory,
  'growth-status': commandGrowth('status', '--json'),
  'growth-ls': commandGrowth('mission', 'ls', '--json'),
  'growth-switch': switchGrowth,
  kill,
  install,
}
