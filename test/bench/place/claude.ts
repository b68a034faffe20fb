import { join } from 'node:path'
import type { Box } from './box.ts'

const answerVersion = `[ "$1" = --version ] && { echo '2.1.325 (Claude Code)'; exit; }`

/** As large as a real program: of a small file agenc asks the version at every start. */
const padding = `#${'-'.repeat(99)}\n`.repeat(1_100)

function writeClaude(box: Box, script: readonly string[]): string {
  return box.write(join('bin', 'claude'), ['#!/bin/sh', answerVersion, ...script, padding].join('\n'), 0o755)
}

/** Tells that it has started, and ends. */
export function useFleetingClaude(box: Box, fifo: string): string {
  return writeClaude(box, [`echo >'${fifo}'`, 'exit 0'])
}

const status = '{"status":"idle","statusUpdatedAt":1}'
const sessionStart = '{"hook_event_name":"SessionStart","source":"startup"}'

/** Reports, as the real one does, that it waits for its first prompt; costs nothing from then on. */
export function useIdleClaude(box: Box): string {
  return writeClaude(box, [
    `printf '%s' '${status}' >"$HOME/.claude/sessions/$$.json"`,
    'cd "$AGENC_DIRPATH/missions/$AGENC_MISSION_UUID/run" || exit 1',
    `printf '%s' '${sessionStart}' >ev/$$`,
    'printf . 1<>bell',
    'exec sleep 1000000',
  ])
}
