import type { Context } from '../../src/context.ts'
import { howItWorksSvg } from './how-it-works.ts'
import { parseScreen } from './screen.ts'
import { columns, type SceneName, shootScreens } from './shoot.ts'
import { stabilise } from './stable.ts'
import { screenSvg } from './svg.ts'

const titles: Record<SceneName, string> = {
  session: 'agenc: four missions, one window each',
  switcher: 'agenc: the switcher, those that wait first',
  waiting: 'agenc: the mission that waits for you',
}

/** Every picture of the docs, by path. */
export async function pictures(context: Context): Promise<Record<string, string>> {
  const screens = await shootScreens(context)
  const description = `Made by npm run pictures with ${programs(context)}`
  const entries = Object.entries(titles).map(([name, title]) => {
    const screen = stabilise(parseScreen(screens[name as SceneName], columns))
    return [`docs/pictures/${name}.svg`, screenSvg(screen, { title, description })]
  })
  return { ...Object.fromEntries(entries), 'docs/pictures/how-it-works.svg': howItWorksSvg() }
}

/** What draws the screens besides agenc: other versions may draw a little differently. */
function programs({ exec, env }: Context): string {
  const version = (file: string, flag: string) => exec.capture(file, [flag], { env }).stdout.trim()
  return `${version('tmux', '-V')}, fzf ${version('fzf', '--version').split(' ')[0]}`
}
