import { expect, test } from 'vitest'
import { parseTmuxVariable } from '../../src/tmux/tmux-variable.ts'

test.each([
  ['/tmp/tmux-0/default,4711,3', { socket: '/tmp/tmux-0/default', serverPid: 4711, session: '3' }],
  ['/home/a,b/tmux,1,2/s,4711,0', { socket: '/home/a,b/tmux,1,2/s', serverPid: 4711, session: '0' }],
  ['', null],
  ['/tmp/s', null],
  [',1,2', null],
  [undefined, null],
])('$TMUX=%j is parsed', (value, expected) => {
  expect(parseTmuxVariable(value)).toEqual(expected)
})
