import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { checkEveryMode } from '../helpers/modes.ts'
import { realSessionBox } from '../helpers/real-session.ts'

test('the real Claude starts and resumes in every mode, and Shift+Tab changes the stored one', {
  timeout: 120_000,
}, async ctx => {
  const real = await realSessionBox()
  if ('missing' in real) return ctx.skip(real.missing)
  const { box } = real
  Object.assign(box.env, { IS_SANDBOX: '1' })
  box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
  writeFileSync(join(box.home, '.tmux.conf'), '')
  const { id: from } = await box.start()
  await checkEveryMode(box, from, { aliases: false })
})
