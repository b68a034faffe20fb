import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maskInput, maskSecrets } from '../../src/approvals/mask-secrets.ts'

const random = 'q7Xz9Lm2Vb4Nc8Kd1Wf6Rt3Yh5Gj0Ps'

test.each([
  [`curl -H "Authorization: Bearer ${random}"`, random],
  [`curl -H 'x-api-key: ${random}' https://api.example`, random],
  ['curl -u bob:hunter22 https://api.example', 'hunter22'],
  ['curl --user=bob:hunter22 https://api.example', 'hunter22'],
  ['git clone https://bob:hunter22@example.com/r.git', 'hunter22'],
  [`git clone https://${random}@example.com/r.git`, random],
  ['psql postgres://app:s3cr3t-pw@db/x', 's3cr3t-pw'],
  ['PASSWORD=hunter22 ./run', 'hunter22'],
  ['export DB_PASSWORD="two words"', 'two words'],
  ["MY_SECRET='a b c' x", 'a b c'],
  ['API_KEY=abc123 x', 'abc123'],
  ['STRIPE_KEY=abc123 x', 'abc123'],
  ['mysql --password=hunter22 x', 'hunter22'],
  ['vault login --token hunter22', 'hunter22'],
  ['{"client_secret": "hunter22", "name": "x"}', 'hunter22'],
  ['{"password":"hunter22"}', 'hunter22'],
  ['password: hunter22', 'hunter22'],
  ['https://api.example/x?access_token=hunter22&y=1', 'hunter22'],
  ['echo sk-ant-api03-abcdefghijklmnopqrstuvwxyz', 'abcdefghijklmnop'],
  ['echo sk-proj-abcdefghijklmnopqrstuvwxyz', 'abcdefghijklmnop'],
  ['echo ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'abcdefghijklmnop'],
  ['echo github_pat_11ABCDEFG0abcdefghijkl_mnop', '11ABCDEFG0'],
  ['echo glpat-abcdefghijklmnopqrst', 'abcdefghijklmnop'],
  ['echo xoxb-1234567890-abcdefghij', '1234567890'],
  ['echo AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7'],
  ['echo AIzaSyA1234567890abcdefghijklmnopqrstuv', 'SyA1234567890'],
  ['echo npm_abcdefghijklmnopqrstuvwxyz0123456789', 'abcdefghijklmnop'],
  ['echo eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123', 'eyJzdWIiOiIxIn0'],
  [`echo ${random}`, random],
  [`echo ${'0123456789abcdef'.repeat(4)}`, '0123456789abcdef'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIabc\nxyz\n-----END RSA PRIVATE KEY-----\nafter', 'MIIabc'],
  ['-----BEGIN OPENSSH PRIVATE KEY-----\ncut short', 'cut short'],
])('hides the secret in %j', (text, secret) => {
  expect(maskSecrets(text)).not.toContain(secret)
  expect(maskSecrets(text)).toContain('***')
})

test.each([
  'git status && npm test',
  'git show 0123456789abcdef0123456789abcdef01234567',
  'ls missions/123e4567-e89b-42d3-a456-426614174000/agent',
  'cat src/commands/mission/permission-mode-source.test.ts',
  'git commit -m "Teach the tokenizer about passwords"',
  'git log --author=Bob --since=2024-01-01T00:00:00',
  'curl https://example.com/a/b?x=1',
  'git clone git@github.com:owner/name.git',
  'npm install --save-dev @types/better-sqlite3',
  'node_modules/.bin/some-very-long-program-name-with-dashes',
])('does not change %j', text => {
  expect(maskSecrets(text)).toBe(text)
})

test('maskSecrets keeps the text around a secret', () => {
  expect(maskSecrets('TOKEN=abc git push && ls')).toBe('TOKEN=*** git push && ls')
  expect(maskSecrets('git clone https://bob:pw@example.com/r.git x')).toBe(
    'git clone https://bob:***@example.com/r.git x',
  )
})

test('maskInput masks nested values, and strings whose key names a secret', () => {
  const input = { command: 'TOKEN=abc ls', env: [{ apiKey: 'abc', n: 1 }, null], password: 'x' }
  expect(maskInput(input)).toEqual({
    command: 'TOKEN=*** ls',
    env: [{ apiKey: '***', n: 1 }, null],
    password: '***',
  })
})

test('maskSecrets never throws, and masking twice changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), text => {
      const once = maskSecrets(text)
      expect(maskSecrets(once)).toBe(once)
    }),
  )
})

test.each([
  'a',
  'a.b-c_',
  '--',
  'token',
  'token-',
  'token ',
  'token:',
  '"token',
  '-----BEGIN A-----',
  '-----BEGIN A',
  'http://a',
  'eyJ-',
  'sk-',
  'A_KEY',
  ' -u a',
  '"',
  ' ',
])('maskSecrets takes linear time for many %j', piece => {
  const text = piece.repeat(200_000 / piece.length)
  const sinceMs = performance.now()
  maskSecrets(text)
  maskSecrets(`token${text}`)
  // Quadratic time would be minutes.
  expect(performance.now() - sinceMs).toBeLessThan(5_000)
})
