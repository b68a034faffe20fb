import { printScript } from './print-script.ts'

export default printScript('zsh', 'agenc completion zsh')
