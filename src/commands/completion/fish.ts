import { printScript } from './print.ts'

export default printScript('fish', 'agenc completion fish | source')
