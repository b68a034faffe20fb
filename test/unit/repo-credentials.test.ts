import { expect, test } from 'vitest'
import { hideCredentials, withAddress } from '../../src/repo/credentials.ts'
import { systemRunner } from '../../src/system/runner.ts'

test.each([
  ['https://bob:secret@example.com/a/b.git', 'https://example.com/a/b.git', 'bob', 'secret'],
  ['http://b%40b:a@b:c%2F@example.com:8080/x', 'http://example.com:8080/x', 'b@b', 'a@b:c/'],
])('git finds the user and the password of %s, but not in the address', (address, url, user, password) => {
  const hidden = hideCredentials(address)
  expect(hidden.url).toBe(url)
  const env = { ...process.env, ...hidden.env }
  const input = `url=${url}\n\n`
  const { stdout } = systemRunner.capture('git', ['credential', 'fill'], { env, input })
  expect(stdout.split('\n')).toEqual(expect.arrayContaining([`username=${user}`, `password=${password}`]))
  const other = { ...env, GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: 'false', SSH_ASKPASS: 'false' }
  const elsewhere = systemRunner.capture('git', ['credential', 'fill'], {
    env: other,
    input: 'url=https://elsewhere.example.com/\n\n',
  })
  expect(elsewhere.stdout).not.toContain(password)
})

test('a token in the place of a user is hidden too, and the password is asked for as before', () => {
  const hidden = hideCredentials('https://ghp_token@example.com/a')
  const helper = 'credential.helper=!f() { cat; echo password=mine; }; f'
  const { stdout } = systemRunner.capture('git', ['-c', helper, 'credential', 'fill'], {
    env: { ...process.env, ...hidden.env },
    input: `url=${hidden.url}\n\n`,
  })
  expect(stdout.split('\n')).toEqual(expect.arrayContaining(['username=ghp_token', 'password=mine']))
})

test.each(['https://example.com/a', 'git@example.com:a/b.git', '/a/b', 'ssh://git@example.com/a'])(
  '%s has nothing to hide',
  address => expect(hideCredentials(address)).toEqual({ url: address, env: {} }),
)

test('an address is replaced in the text of a config', () => {
  const config = '[remote "origin"]\n\turl = https://example.com/a\n\tfetch = x\n'
  expect(withAddress(config, 'https://example.com/a', 'https://b:"$1;#@example.com/a')).toBe(
    '[remote "origin"]\n\turl = "https://b:\\"$1;#@example.com/a"\n\tfetch = x\n',
  )
})
