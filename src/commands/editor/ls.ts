import { defineCommand, jsonOption } from '../../cli/command.ts'
import { readConfig } from '../../config/read.ts'
import { listEditors } from '../../editor/choose-editor.ts'
import { printTable } from '../../io/table.ts'
import { cleanText } from '../../io/text.ts'

export default defineCommand<{ json?: boolean }>({
  description: 'List the known editors. Shows which are installed and which one agenc opens.',
  options: [jsonOption],
  examples: ['agenc editor ls', 'agenc config set editor.name kitty'],
  async run({ env, paths, out }, { json }) {
    const { editor } = await readConfig(paths)
    const editors = listEditors(editor, { platform: process.platform, env })
    if (json) out.line(JSON.stringify(editors))
    else {
      printTable(out, [
        { title: 'NAME', cells: editors.map(({ name }) => cleanText(name)), shrinks: true },
        { title: 'KIND', cells: editors.map(({ kind }) => kind) },
        { title: 'INSTALLED', cells: editors.map(({ installed }) => yesOrDash(installed)) },
        { title: 'CHOSEN', cells: editors.map(({ chosen }) => yesOrDash(chosen)) },
      ])
    }
    return 0
  },
})

function yesOrDash(is: boolean): string {
  return is ? 'yes' : '-'
}
