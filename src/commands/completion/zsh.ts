import { printScript } from './print.ts'

export default printScript('zsh', 'agenc completion zsh')
