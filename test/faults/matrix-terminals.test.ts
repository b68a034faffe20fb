import { terminalKills } from './kills.ts'
import { testMatrix } from './matrix.ts'

testMatrix(terminalKills)
