import { printScript } from './print-script.ts'

export default printScript('fish', 'agenc completion fish | source')
