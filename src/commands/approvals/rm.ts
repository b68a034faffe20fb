import type { Rule } from '../../approvals/rule.ts'
import { ruleText } from '../../approvals/rule-text.ts'
import { defineCommand, jsonOption } from '../../cli/command.ts'
import { readConfig } from '../../config/read.ts'
import { type NumberedRule, removeRule } from '../../config/rules.ts'
import { type Context, isInteractive } from '../../context.ts'
import { AgencError, usageError } from '../../errors.ts'
import { pick } from '../../io/picker.ts'

export default defineCommand<{ number?: string; json?: boolean }>({
  description: 'Remove a rule. Rules are counted from 1, in the order of config.json.',
  arguments: [{ name: 'number', description: 'its number (default: pick from a list)' }],
  options: [jsonOption],
  examples: ['agenc approvals rm 2'],
  async run(context, { number: word, json }) {
    const { number, rule } = word === undefined ? await pickRule(context) : await removeNumber(context, word)
    if (json) context.out.line(JSON.stringify({ number, rule, removed: true }))
    else context.err.line(`Removed rule ${number}: ${ruleText(rule)}`)
    return 0
  },
})

async function removeNumber({ paths }: Context, word: string): Promise<NumberedRule> {
  const { rules } = (await readConfig(paths)).approvals
  if (!/^[1-9]\d{0,5}$/.test(word) || Number(word) > rules.length)
    throw usageError(`There is no rule ${JSON.stringify(word)}.`, listOf(rules))
  return removeRule(paths, Number(word))
}

async function pickRule(context: Context): Promise<NumberedRule> {
  const { rules } = (await readConfig(context.paths)).approvals
  if (!isInteractive(context)) throw usageError('No rule given.', listOf(rules))
  if (rules.length === 0)
    throw new AgencError('There are no rules.', "Write one with 'agenc approvals allow'.")
  const rows = rules.map((rule, index) => ({ value: index, cells: [String(index + 1), ruleText(rule)] }))
  const picked = await pick(context, 'rule', rows)
  return removeRule(context.paths, picked + 1, rules[picked])
}

function listOf(rules: readonly Rule[]): string {
  if (rules.length === 0) return 'There are no rules.'
  return ['Rules:', ...rules.map((rule, index) => `  ${index + 1}  ${ruleText(rule)}`)].join('\n')
}
