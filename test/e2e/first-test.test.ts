import { expect, test } from 'vitest'
import { sandbox } from '../helpers/cli.ts'

test('a setting that was changed can be read back', () => {
  const { agenc } = sandbox()
  expect(agenc(['config', 'set', 'stop.grace_ms', '1500'])).toMatchObject({ exitCode: 0 })
  expect(agenc(['config', 'get', 'stop.grace_ms'])).toEqual({ exitCode: 0, stdout: '1500\n', stderr: '' })
})
