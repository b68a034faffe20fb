import type { RowName } from '../rows.ts'
import type { Case } from './case.ts'
import { newPicker, switchPicker } from './pickers.ts'
import { helpCase, listCase } from './start-up.ts'

export const cases: Partial<Record<RowName, Case>> = {
  'ls-10': listCase(10, 0),
  'ls-1000': listCase(1_000, 20),
  help: helpCase('--help'),
  'mission-help': helpCase('mission', '--help'),
  'switch-picker': switchPicker,
  'new-picker': newPicker,
}
