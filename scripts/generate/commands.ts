import { Command as Commander } from 'commander'
import type { Entry, Noun } from '../../src/cli/command.ts'
import { declareCommand, helpColumns } from '../../src/cli/commander.ts'
import { registry } from '../../src/commands/registry.ts'

const { nouns, topLevel, shortForms } = registry

/** One page per noun, with the help text of each verb as the program itself prints it. */
export async function commandPages(): Promise<Record<string, string>> {
  const pages: Record<string, string> = { 'docs/commands/README.md': indexPage() }
  for (const [name, noun] of Object.entries(nouns)) {
    pages[`docs/commands/${name}.md`] = await nounPage(name, noun)
  }
  for (const [name, entry] of Object.entries(topLevel)) {
    pages[`docs/commands/${name}.md`] = `# agenc ${name}\n\n${await helpBlock(`agenc ${name}`, entry)}`
  }
  return pages
}

function indexPage(): string {
  const verbs = Object.entries(nouns).flatMap(([name, noun]) =>
    Object.entries(noun.verbs).map(([verb, entry]) =>
      row(`${name}.md#agenc-${name}-${verb}`, `${name} ${verb}`, entry),
    ),
  )
  const others = Object.entries(topLevel).map(([name, entry]) => row(`${name}.md`, name, entry))
  const short = Object.entries(shortForms).map(
    ([name, whole]) => `| \`agenc ${name}\` | \`agenc ${whole}\` |`,
  )
  return `# Commands\n\nGenerated from the program by \`npm run generate\`.\n\n| command | does |\n|---|---|\n${[...verbs, ...others].filter(Boolean).join('\n')}\n\n## Short forms\n\n| short | stands for |\n|---|---|\n${short.join('\n')}\n`
}

function row(link: string, words: string, { summary, hidden }: Entry): string {
  return hidden ? '' : `| [\`agenc ${words}\`](${link}) | ${summary} |`
}

async function nounPage(name: string, noun: Noun): Promise<string> {
  const sections: string[] = []
  for (const [verb, entry] of Object.entries(noun.verbs)) {
    if (entry.hidden) continue
    sections.push(`## agenc ${name} ${verb}\n\n${await helpBlock(`agenc ${name} ${verb}`, entry)}`)
  }
  return `# agenc ${name}\n\n${noun.summary}. Generated from the program by \`npm run generate\`.\n\n${sections.join('\n')}`
}

async function helpBlock(name: string, entry: Entry): Promise<string> {
  const declared = new Commander(name).helpOption('-h, --help', 'show help')
  declareCommand(declared, (await entry.load()).default, entry)
  return `\`\`\`\n${helpOf(declared)}\n\`\`\`\n`
}

function helpOf(declared: Commander): string {
  let text = ''
  declared.configureOutput({
    writeOut: part => {
      text += part
    },
    getOutHelpWidth: () => helpColumns,
  })
  declared.outputHelp()
  return text.trim()
}
