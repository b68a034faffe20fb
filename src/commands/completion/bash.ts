import { printScript } from './print-script.ts'

export default printScript('bash', 'agenc completion bash')
