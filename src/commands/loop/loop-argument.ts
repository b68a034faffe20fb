import type { ArgumentSpec } from '../../cli/command.ts'

export const loopArgument: ArgumentSpec = {
  name: 'loop',
  description: 'its id (the start is enough), or the name or id of its mission (default: the only loop)',
}
