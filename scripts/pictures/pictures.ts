import type { Context } from '../../src/context.ts'
import { howItWorksSvg } from './how-it-works.ts'
import { parseScreen, stabilise } from './screen.ts'
import { screenSvg } from './screen-svg.ts'
import { columns, type SceneName, shootScreens } from './shoot.ts'

const titles: Record<SceneName, string> = {
  session: 'agenc: four missions, one window per mission',
  switcher: 'agenc: the switcher lists waiting missions first',
  waiting: 'agenc: a mission that waits for your permission',
}

/** Every picture in the docs, by path. */
export async function pictures(context: Context): Promise<Record<string, string>> {
  const screens = await shootScreens(context)
  const description = `Made by npm run pictures with ${programs(context)}`
  const entries = Object.entries(titles).map(([name, title]) => {
    const screen = stabilise(parseScreen(screens[name as SceneName], columns))
    return [`docs/pictures/${name}.svg`, screenSvg(screen, { title, description })]
  })
  return { ...Object.fromEntries(entries), 'docs/pictures/how-it-works.svg': howItWorksSvg() }
}

/** Other versions of these programs may draw the screens a little differently. */
function programs({ exec, env }: Context): string {
  const version = (file: string, flag: string) => exec.capture(file, [flag], { env }).stdout.trim()
  return `${version('tmux', '-V')}, fzf ${version('fzf', '--version').split(' ')[0]}`
}
