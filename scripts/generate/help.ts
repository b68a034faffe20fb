import { runCli } from '../../src/cli/commander.ts'
import { pageColumns } from '../../src/cli/help/page.ts'
import { nouns } from '../../src/commands/registry.ts'
import { type Context, systemContext } from '../../src/context.ts'

/** The output of `agenc --help` and `agenc <noun> --help`, by noun. */
export async function helpPages(): Promise<Record<string, string>> {
  const pages: Record<string, string> = { '': await printed(['--help']) }
  for (const noun of Object.keys(nouns)) pages[noun] = await printed([noun, '--help'])
  return pages
}

async function printed(argv: string[]): Promise<string> {
  let text = ''
  const out: Context['out'] = {
    write: part => {
      text += part
    },
    line: (part = '') => {
      text += `${part}\n`
    },
    isTerminal: false,
    columns: pageColumns,
    paint: (_style, part) => part,
  }
  await runCli({ ...systemContext(), out }, argv)
  return text
}
