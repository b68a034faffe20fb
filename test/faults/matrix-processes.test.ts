import { processKills } from './kills.ts'
import { testMatrix } from './matrix.ts'

testMatrix(processKills)
