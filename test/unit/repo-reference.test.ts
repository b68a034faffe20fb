import { join, normalize } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AgencError, ExitCode } from '../../src/errors.ts'
import { libraryPath } from '../../src/repo/library.ts'
import { makeRepoId, parseReference, safeSegmentFrom } from '../../src/repo/reference.ts'

function refusal(text: string): AgencError {
  try {
    const taken = parseReference(text)
    throw new Error(`taken as ${JSON.stringify(taken)}`)
  } catch (error) {
    if (error instanceof AgencError) return error
    throw error
  }
}

describe('accepted references', () => {
  test.each([
    ['owner/name', 'github.com/owner/name', 'https://github.com/owner/name.git'],
    ['Owner/Name.js', 'github.com/Owner/Name.js', 'https://github.com/Owner/Name.js.git'],
    ['owner/.github', 'github.com/owner/.github', 'https://github.com/owner/.github.git'],
    ['owner/name.git', 'github.com/owner/name', 'https://github.com/owner/name.git'],
    ['github.com/owner/name', 'github.com/owner/name', 'https://github.com/owner/name.git'],
    ['gitlab.com/group/sub/name', 'gitlab.com/group/sub/name', 'https://gitlab.com/group/sub/name.git'],
    ['https://github.com/owner/name', 'github.com/owner/name', 'https://github.com/owner/name'],
    ['https://www.GitHub.com/owner/name/', 'github.com/owner/name', 'https://www.GitHub.com/owner/name/'],
    ['https://host:443/a/b.git', 'host/a/b', 'https://host:443/a/b.git'],
    ['https://host:8443/a/b.git', 'host-8443/a/b', 'https://host:8443/a/b.git'],
    ['https://dev.azure.com/org/My%20App/_git/app', 'dev.azure.com/org/My-App/_git/app', null],
    ['http://[::1]:3000/a/b', 'ipv6---1-3000/a/b', null],
    ['git://host/pub/scm/git.git', 'host/pub/scm/git', null],
    ['ssh://git@host:2222/a/b.git', 'host-2222/a/b', null],
    ['ssh://git@host/~me/b.git', 'host/~me/b', null],
    ['git@github.com:owner/name.git', 'github.com/owner/name', null],
    ['work:owner/name', 'work/owner/name', null],
    ['git@host:single.git', 'host/_/single', null],
    ['host:/srv/git/app.git', 'host/srv/git/app', null],
  ])('%s', (text, id, url) => {
    expect(parseReference(text)).toEqual({ kind: 'remote', id, url: url ?? text, fetchUrl: url ?? text })
  })

  test.each(['.', '..', './app', '../app', '/srv/app', '~', '~/app'])('%s is a path', text => {
    expect(parseReference(text)).toEqual({ kind: 'path', path: text })
  })

  test('a file URL is a path', () => {
    expect(parseReference('file:///srv/my%20app')).toEqual({ kind: 'path', path: '/srv/my app' })
  })

  test.each([
    ['https://me:hunter2@host/a/b', 'https://host/a/b'],
    ['https://ghp_hunter2@github.com/a/b', 'https://github.com/a/b'],
    ['https://me:hunter2@home@host/a/b', 'https://host/a/b'],
  ])('a password is used to fetch and appears nowhere else: %s', (text, url) => {
    const source = parseReference(text)
    expect(source).toMatchObject({ url, fetchUrl: text })
    expect(JSON.stringify({ ...source, fetchUrl: '' })).not.toContain('hunter2')
  })
})

describe('refused references', () => {
  test.each([
    ['', 'empty'],
    ['--upload-pack=touch x', 'dash'],
    ['-u', 'dash'],
    ['ext::sh -c touch% x', 'run another program'],
    ['EXT::sh -c x', 'run another program'],
    ['fd::17', 'run another program'],
    ['hg::https://host/a/b', 'run another program'],
    ['ext::https://github.com/a/b', 'run another program'],
    ['owner/../..', 'name a host'],
    ['github.com/../../x', '".."'],
    ['https://host/../../x', '".."'],
    ['https://host/a/%2e%2e/%2e%2e/x', '".."'],
    ['https://host/a%2f..%2fb/c', 'hides a slash'],
    ['https://host/a/b%00c', 'hides a slash or a control'],
    ['https://host/a/%zz', '% escape'],
    ['git@host:../../x', '".."'],
    ['host:a/./b', '"."'],
    ['owner/na\u0007me', 'control characters'],
    ['owner/name\n', 'control characters'],
    ['owner/na\u0000me', 'control characters'],
    ['owner/na\u001b[31mme', 'control characters'],
    ['owner/na\u202eme', 'control characters'],
    ['owner/.git', 'is .git'],
    ['owner/.GIT', 'is .GIT'],
    ['https://host/.git/config', 'is .git'],
    ['https://host/a/git~1', 'git~1'],
    ['https://host/a//b', 'empty'],
    ['owner/', 'https://github.com/owner/name'],
    ['a//b', 'name a host'],
    ['owner/-name', 'dash'],
    ['-owner/name', 'dash'],
    ['owner/na me', 'unsafe'],
    ['owner/$(id)', 'unsafe'],
    ['ssh://-oProxyCommand=id/a/b', 'host name'],
    ['ssh://-oProxyCommand=id@host/a/b', 'user name'],
    ['ssh://me:hunter2@host/a/b', 'user name'],
    ['-oProxyCommand=id:a/b', 'dash'],
    ['git@-oProxyCommand=id:a/b', 'host name'],
    ['https://ho st/a/b', 'host name'],
    ['https://../a/b', 'host name'],
    ['https:///a/b', 'host name'],
    ['https://local/a/b', 'this machine'],
    ['local:a/b', 'this machine'],
    ['local/a/b', 'by its path'],
    ['https://host/a/b?x=1', '\\?, #'],
    ['https://host/a/b\\c', '\\?, #'],
    ['https://github.com/owner/name/tree/main', 'https://github.com/owner/name'],
    ['https://github.com/owner', 'https://github.com/owner/name'],
    ['ftp://host/a/b', 'start with https://'],
    ['javascript://host/a/b', 'start with https://'],
    ['file://server/share', 'on this machine'],
    ['file:///a%0ab', 'control characters'],
    ['name', 'ambiguous; did you mean ./name?'],
    ['a/b/c', 'name a host'],
  ])('%j', (text, reason) => {
    const error = refusal(text)
    expect(error.message).toMatch(new RegExp(reason))
    expect(error.hint).toMatch(/\w/)
    expect(error.exitCode).toBe(ExitCode.usage)
    expect(error.message).not.toMatch(/\p{Cc}|hunter2/u)
  })

  test('a reference that is too long', () => {
    expect(refusal(`./${'x'.repeat(2_000)}`).message).toMatch('too long')
    expect(refusal(`owner/${'x'.repeat(101)}`).message).toMatch('longer than 100')
    expect(refusal(`https://host/${'abc/'.repeat(100)}x`).message).toMatch('longer than 300')
  })

  test('the reason never contains a password', () => {
    expect(refusal('https://me:hunter2@host/../x').message).not.toContain('hunter2')
  })
})

const library = '/library'

describe('any text', () => {
  const pieces = fc.constantFrom(
    '..', '.', '/', '//', ':', '::', '@', '-', '--', '%2e', '%2f', '%00', '.git', 'git~1', '~', '\\', ' ', '\u0000',
    '\n', '\u001b', 'https://', 'ssh://', 'git@', 'host', 'github.com', 'local', 'a', 'B', 'é', '日本', '?', '#', '[::1]',
  ) // biome-ignore format: a table
  const typed = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(fc.oneof(pieces, fc.string({ maxLength: 4 })), { maxLength: 12 }).map(parts => parts.join('')),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
  )

  test('is refused, or gets a path of safe characters below the library', () => {
    fc.assert(
      fc.property(typed, text => {
        let reference: ReturnType<typeof parseReference>
        try {
          reference = parseReference(text)
        } catch (error) {
          expect(error).toBeInstanceOf(AgencError)
          return
        }
        if (reference.kind === 'path') return
        const path = libraryPath(library, reference.id)
        expect(path).toBe(normalize(path))
        expect(path.startsWith(`${library}/`)).toBe(true)
        expect(reference.id).toMatch(/^[A-Za-z0-9._~+-]+(\/[A-Za-z0-9._~+-]+){2,}$/)
        expect(reference.id).not.toMatch(/(^|\/)(-|\.{1,2}(\/|$)|\.git(\/|$))/i)
        expect(reference.fetchUrl).not.toMatch(/^-|^[A-Za-z0-9+.-]+::/)
      }),
      { numRuns: 5_000 },
    )
  })

  test('as the name of a directory becomes a safe part of an id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (parent, name) => {
        const id = makeRepoId(['local', safeSegmentFrom(parent), safeSegmentFrom(name)])
        expect(join(library, id).split('/')).toHaveLength(5)
      }),
    )
  })

  test('as a stored id does not lead out of the library', () => {
    for (const id of ['../../etc', 'github.com/../..', '/etc/passwd', 'a/b', 'github.com/a/.git']) {
      expect(() => libraryPath(library, id)).toThrow(RangeError)
    }
  })
})
