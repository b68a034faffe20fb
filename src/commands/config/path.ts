import { defineCommand, jsonOption } from '../../cli/command.ts'

export default defineCommand<{ json?: boolean }>({
  options: [jsonOption],
  examples: ['agenc config path'],
  run({ out, paths }, { json }) {
    out.line(json ? JSON.stringify({ path: paths.config }) : paths.config)
    return 0
  },
})
