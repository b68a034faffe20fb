import { defaultConfig } from '../../src/config/read.ts'
import { settings, valueAt } from '../../src/config/settings.ts'

export function configurationPage(): string {
  const rows = settings.map(({ key, path, description }) => {
    const standard = valueAt(defaultConfig, path)
    const shown = standard === undefined ? '' : `\`${JSON.stringify(standard)}\``
    return `| \`${key.replace('*', '<repo>')}\` | ${shown} | ${description} |`
  })
  return `# Configuration

Settings live in \`config.json\` in agenc's home (\`agenc config path\`). Change them with
\`agenc config set\`, or with \`agenc config edit\`, which checks before it saves. Editors complete and
check the file by the JSON Schema that agenc keeps beside it.

In a key, what follows \`repos.\` up to the last dot is the repo: \`repos.github.com/o/r.js.model\`.

| key | default | meaning |
|---|---|---|
${rows.join('\n')}

This page is generated from src/config/schema.ts by \`npm run generate\`.
`
}
