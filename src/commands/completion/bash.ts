import { printScript } from './print.ts'

export default printScript('bash', 'agenc completion bash')
