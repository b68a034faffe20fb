import { outputTo } from '../../io/output.ts'
import pages from './pages.json' with { type: 'json' }

/** Help is never wider than this, so that one page serves every terminal that is at least as wide. */
export const pageColumns = 80

/** `agenc --help` and `agenc <noun> --help`, as commander once printed them; `others` where there is no such page. */
export function printPage(words: readonly string[], others: () => void): void {
  const name = words.length === 2 ? words[0]! : ''
  const page = Object.hasOwn(pages, name) ? (pages as Record<string, string>)[name] : undefined
  const out = outputTo(1, process.env)
  if (page === undefined || out.columns < pageColumns) others()
  else out.write(page)
}
