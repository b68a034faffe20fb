import type { Context } from '../../src/context.ts'
import { howItWorksSvg } from './how-it-works.ts'
import { parseScreen, stabilise } from './screen.ts'
import { screenSvg } from './screen-svg.ts'
import { columns, type SceneName, shootScreens } from './shoot.ts'
import { dark, light, type Theme } from './themes.ts'

interface Picture {
  name: string
  scene: SceneName
  title: string
  theme: Theme
}

const screenshots: readonly Picture[] = [
  {
    name: 'session',
    scene: 'session',
    title: 'agenc: four missions, one window per mission',
    theme: dark,
  },
  {
    name: 'session-light',
    scene: 'session',
    title: 'agenc: the same session in a light terminal',
    theme: light,
  },
  {
    name: 'switcher',
    scene: 'switcher',
    title: 'agenc: the switcher lists waiting missions first',
    theme: dark,
  },
  {
    name: 'waiting',
    scene: 'waiting',
    title: 'agenc: a mission that waits for your permission',
    theme: dark,
  },
]

/** Every picture in the docs, by path. */
export async function pictures(context: Context): Promise<Record<string, string>> {
  const screens = await shootScreens(context)
  const description = `Made by npm run pictures with ${programs(context)}`
  const entries = screenshots.map(({ name, scene, title, theme }) => {
    const screen = stabilise(parseScreen(screens[scene], columns, theme))
    return [`docs/pictures/${name}.svg`, screenSvg(screen, { title, description, theme })]
  })
  return { ...Object.fromEntries(entries), 'docs/pictures/how-it-works.svg': howItWorksSvg() }
}

/** Other versions of these programs may draw the screens a little differently. */
function programs({ exec, env }: Context): string {
  const version = (file: string, flag: string) => exec.capture(file, [flag], { env }).stdout.trim()
  return `${version('tmux', '-V')}, fzf ${version('fzf', '--version').split(' ')[0]}`
}
