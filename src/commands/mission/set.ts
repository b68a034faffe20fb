import { defineCommand, jsonOption } from '../../cli/command.ts'
import { approveModesInWords } from '../../config/approve-modes.ts'
import { readConfig } from '../../config/read.ts'
import type { Context } from '../../context.ts'
import type { MissionChange, MissionRecord } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { withStore } from '../../db/with-store.ts'
import { usageError } from '../../errors.ts'
import { refuseWiderChange } from '../../mission/agent-rights.ts'
import { callerOf } from '../../mission/calling-mission.ts'
import { checkMode, takesEffectLater } from '../../mission/check-mode.ts'
import { chooseMission } from '../../mission/choose.ts'
import { parseApprove } from '../../mission/effective-settings.ts'
import { describeMissions } from '../../mission/list.ts'
import { statusNow } from '../../mission/mission-status.ts'
import { missionService } from '../../mission/open-service.ts'
import { shortId } from '../../mission-id.ts'
import { requestRestart } from '../../wrapper/control-message.ts'

interface Input {
  mission?: string
  permissionMode?: string
  follow?: boolean
  approve?: string
  model?: string
  restart?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description: 'Change the permission mode, the approvals or the model of one mission.',
  arguments: [
    {
      name: 'mission',
      description: "its name or id (the start is enough), or '.' (default: pick from a list)",
    },
  ],
  options: [
    {
      flags: '--permission-mode <mode>',
      description: "what Claude may do without asking; see 'agenc help modes'",
    },
    { flags: '--follow', description: 'use the permission mode from the settings' },
    {
      flags: '--approve <who>',
      description: `who answers permission requests: ${approveModesInWords}; 'follow' for the settings`,
    },
    {
      flags: '--model <model>',
      description: "the model that Claude uses ('' for the one from the settings)",
    },
    { flags: '--restart', description: 'if it is running, restart its Claude as soon as it is idle' },
    jsonOption,
  ],
  examples: [
    'agenc mission set 3f2a --permission-mode acceptEdits --restart',
    'agenc mission set . --approve rules',
  ],
  async run(context, input) {
    const change = changeOf(input)
    if (input.permissionMode !== undefined) await checkMode(context, input.permissionMode)
    await withStore(context, async db => {
      const before = await chooseMission(context, db, input.mission)
      const { id } = before
      const config = await readConfig(context.paths)
      refuseWiderChange(callerOf(context, db), before, { ...before, ...change }, config)
      const missions = missionService(context, db)
      missions.change(id, change, ['set', { ...change }])
      const mission = missions.get(id)!
      const isRunning = statusNow(context, mission) === 'running'
      if (isRunning) tell(context, mission, change, input.restart ?? false)
      if (input.json) await printJson(context, db, mission)
    })
    return 0
  },
})

function changeOf({ permissionMode, follow, approve, model }: Input): MissionChange {
  if (follow && permissionMode !== undefined)
    throw usageError('--follow and --permission-mode exclude each other', 'Give one or the other.')
  const change: MissionChange = {
    ...(follow ? { permission_mode: null } : {}),
    ...(permissionMode === undefined ? {} : { permission_mode: permissionMode }),
    ...(approve === undefined ? {} : { approve: approve === 'follow' ? null : parseApprove(approve) }),
    ...(model === undefined ? {} : { model: model || null }),
  }
  if (Object.keys(change).length === 0)
    throw usageError('Nothing to change.', 'Use --permission-mode, --follow, --approve or --model.')
  return change
}

/** A new approval mode applies to the next request. Everything else takes effect when Claude starts again. */
function tell(context: Context, mission: MissionRecord, change: MissionChange, isRestarted: boolean): void {
  const { id } = mission
  const isForStart = 'permission_mode' in change || 'model' in change
  if (isRestarted) {
    requestRestart(context.paths.mission(id))
    context.err.line(`${shortId(id)} restarts as soon as it is idle.`)
  } else if (isForStart) {
    context.err.line(takesEffectLater(mission))
  }
}

async function printJson(context: Context, db: Database, mission: MissionRecord): Promise<void> {
  context.out.line(JSON.stringify((await describeMissions(context, db, [mission]))[0]))
}
