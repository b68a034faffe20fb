import { expect, test } from 'vitest'
import { parseTmuxVariable } from '../../src/tmux/tmux-variable.ts'

test.each([
  ['/tmp/tmux-0/default,4711,3', { socket: '/tmp/tmux-0/default', serverPid: 4711, session: '3' }],
  ['/home/a,b/tmux,1,2/s,4711,0', { socket: '/home/a,b/tmux,1,2/s', serverPid: 4711, session: '0' }],
  // tmux gives jobs that belong to no session the number -1.
  ['/tmp/s,4711,-1', { socket: '/tmp/s', serverPid: 4711, session: '-1' }],
  ['', null],
  ['/tmp/s', null],
  [',1,2', null],
  [undefined, null],
])('$TMUX=%j is parsed', (value, expected) => {
  expect(parseTmuxVariable(value)).toEqual(expected)
})
