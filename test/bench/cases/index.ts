import type { Case } from '../comparison.ts'
import type { RowName } from '../rows.ts'
import { checkpoint } from './checkpoint.ts'
import { diffStat } from './diff-stat.ts'
import { commandGrowth, switchGrowth } from './growth.ts'
import { hook } from './hook.ts'
import { install } from './install.ts'
import { kill } from './kill.ts'
import { newMission, resume } from './new-and-resume.ts'
import { newPicker, switchPicker } from './pickers.ts'
import { print } from './print.ts'
import { send } from './send.ts'
import { help, listFew, listMany } from './start-up.ts'
import { wait } from './wait.ts'
import { workingCopy } from './working-copy.ts'
import { idle, memory } from './wrappers.ts'

export const cases: Record<RowName, Case> = {
  'ls-10': listFew,
  'ls-1000': listMany,
  help: help('--help'),
  'mission-help': help('mission', '--help'),
  'switch-picker': switchPicker,
  'new-picker': newPicker,
  hook,
  'new-mission': newMission,
  'working-copy': workingCopy,
  checkpoint,
  'diff-stat': diffStat,
  print,
  resume,
  wait,
  send,
  idle,
  memory,
  'growth-status': commandGrowth('status', '--json'),
  'growth-ls': commandGrowth('mission', 'ls', '--json'),
  'growth-switch': switchGrowth,
  kill,
  install,
}
