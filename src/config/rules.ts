import { isDeepStrictEqual } from 'node:util'
import { usageError } from '../errors.ts'
import type { Paths } from '../paths.ts'
import type { Config } from './schema.ts'
import { editConfig, withValueAt } from './write.ts'

type Rule = Config['approvals']['rules'][number]

/** Rules are counted from 1, as people do. */
export interface NumberedRule {
  rule: Rule
  number: number
}

/** Appends a rule, unless it is there already. Resolves to its number, and whether it was there. */
export async function addRule(paths: Paths, rule: Rule): Promise<NumberedRule & { wasThere: boolean }> {
  let number = 0
  let wasThere = false
  await editConfig(paths, (text, { approvals: { rules } }) => {
    const found = rules.findIndex(other => isDeepStrictEqual(other, rule))
    wasThere = found !== -1
    number = wasThere ? found + 1 : rules.length + 1
    return wasThere ? text : withValueAt(text, ['approvals', 'rules', -1], rule)
  })
  return { rule, number, wasThere }
}

/** Removes a rule. If `expected` is given, fails unless it still has that number. */
export async function removeRule(paths: Paths, number: number, expected?: Rule): Promise<NumberedRule> {
  let removed: Rule | undefined
  await editConfig(paths, (text, { approvals: { rules } }) => {
    removed = rules[number - 1]
    if (removed === undefined)
      throw usageError(`There is no rule ${number}.`, "'agenc approvals rm' lists the rules.")
    if (expected !== undefined && !isDeepStrictEqual(removed, expected))
      throw usageError(`Rule ${number} has changed in the meantime.`, 'Try again.')
    return withValueAt(text, ['approvals', 'rules', number - 1], undefined)
  })
  return { rule: removed!, number }
}
