import { primeText } from '../claude/prime.ts'
import { defineCommand, jsonOption } from '../cli/command.ts'

export default defineCommand<{ json?: boolean }>({
  description:
    'Print a page that tells an agent how to start, message, wait for, read and land missions. It is short enough for a prompt. With the setting claude.prime every mission gets it.',
  options: [jsonOption],
  examples: ['agenc prime', 'agenc config set claude.prime true'],
  run(context, { json }) {
    const text = primeText(context)
    if (json) context.out.line(JSON.stringify({ text }))
    else context.out.write(text)
    return 0
  },
})
