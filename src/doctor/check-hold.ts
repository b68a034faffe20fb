import { readHolds } from '../approvals/hold.ts'
import type { Context } from '../context.ts'
import { shortId } from '../mission-id.ts'
import { type Finding, ok, warning } from './findings.ts'

export function checkHold({ paths }: Context): Finding {
  const { all, missions } = readHolds(paths)
  const remedy = 'Resume them: agenc hold --release'
  if (all !== null)
    return warning('hold', `automatic approvals are paused for all missions since ${all}`, remedy)
  if (missions.length === 0) return ok('hold', 'automatic approvals are not paused')
  return warning('hold', `automatic approvals are paused for ${missions.map(shortId).join(', ')}`, remedy)
}
