import type { Contest } from '../contest.ts'
import type { Figure } from '../outcome.ts'
import type { Box } from '../place/box.ts'

/** How a row is measured, in a box of its own. */
export type Case =
  | { prepare(box: Box): Contest | Promise<Contest> }
  | { survey(box: Box): Figure[] | Promise<Figure[]> }
