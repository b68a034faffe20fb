import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pictures } from '../../scripts/pictures/pictures.ts'
import { systemContext } from '../../src/context.ts'
import { findProgram } from '../../src/system/find-program.ts'
import { agencScript, projectRoot, sandbox } from '../helpers/cli.ts'

/** Compares words only, because other versions of tmux and fzf draw different lines around them. */
function wordsIn(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)]
    .flatMap(([, text]) => text!.split(/\s+/))
    .filter(text => /[\p{L}\p{N}]/u.test(text))
}

test("the pictures in docs are up to date; if not, run 'npm run pictures'", async context => {
  const { env } = sandbox()
  if (findProgram('fzf', env) === null) {
    console.log('fzf is not installed, so the picture of the switcher cannot be drawn')
    context.skip('fzf is not installed')
  }
  const drawn = await pictures({ ...systemContext(), env, self: [process.execPath, agencScript] })
  expect(Object.keys(drawn)).toEqual(
    ['session', 'session-light', 'switcher', 'waiting', 'how-it-works'].map(
      name => `docs/pictures/${name}.svg`,
    ),
  )
  for (const [path, svg] of Object.entries(drawn)) {
    expect(wordsIn(svg), path).toEqual(wordsIn(readFileSync(join(projectRoot, path), 'utf8')))
  }
})
