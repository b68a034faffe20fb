import { notCovered } from './bash-cover.ts'
import { type Directories, inEachDirectory, placeConcerns } from './bash-directory.ts'
import { judgeFile } from './file-tool.ts'
import { couldMatch, matches } from './glob.ts'
import { fear, judge } from './judge-rules.ts'
import type { Judgement, Rule, Situation } from './rule.ts'
import { concernsOf } from './shell/concerns.ts'
import { readCommandLine } from './shell/expand.ts'
import { normalForms } from './shell/normal-forms.ts'
import type { FileUse, Opaque, SimpleCommand } from './shell/part.ts'
import { possibleForms } from './shell/possible-forms.ts'
import { isKnown } from './shell/words.ts'
import { inputText, isFor } from './tool.ts'

/** Control characters, unusual spaces and invisible marks: what is read is not what runs. */
const deceptive = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|(?! )\p{Z}|\p{Cf}|\p{Co}|\p{Cs}/u

/** Decides about every part of a shell command; all have to be allowed. */
export function judgeBash(situation: Situation): Judgement[] {
  const command = inputText(situation.request.input, 'command') ?? ''
  const parts = [...readCommandLine(command), ...wholeCommandDoubts(command, situation.request.input)]
  return inEachDirectory(situation, parts).map(({ part, directories }) => {
    if (part.kind === 'command') return judgeCommand(situation, part, directories)
    if (part.kind === 'opaque') return judgeOpaque(situation, part)
    return judgeRedirection(situation, part, directories)
  })
}

function wholeCommandDoubts(command: string, input: unknown): Opaque[] {
  const doubts: string[] = []
  if (command.trim() === '') doubts.push('there is no command')
  if (deceptive.test(command)) doubts.push('it contains characters that cannot be seen')
  const unsandboxed = (input as { dangerouslyDisableSandbox?: unknown } | null)?.dangerouslyDisableSandbox
  if (unsandboxed) doubts.push('it would run outside the sandbox')
  return doubts.map(why => ({ kind: 'opaque', text: command, why }))
}

/** A pattern over commands, with the directory's own text for `{dir}`. */
function fillIn({ request, resolvePath }: Situation, pattern: string): string[] {
  if (!pattern.includes('{dir}')) return [pattern]
  const dirs = new Set([request.dir, resolvePath(request.dir)])
  return [...dirs].map(dir => pattern.replaceAll('{dir}', () => dir.replace(/[\\*?]/g, '\\$&')))
}

function judgeCommand(situation: Situation, command: SimpleCommand, directories: Directories): Judgement {
  const forms = normalForms(command)
  const possible = possibleForms(command)
  const concerns = [...concernsOf(command), ...placeConcerns(situation, command, directories)]
  const withDir = (pattern: string) => fillIn(situation, pattern)
  return judge(situation, 'Bash', {
    text: command.text,
    free: command.transparent === true,
    isMeant: pattern => withDir(pattern).some(glob => forms.some(form => matches(glob, form))),
    mayBeMeant: pattern => withDir(pattern).some(glob => possible.some(form => couldMatch(glob, form))),
    notCovered: pattern =>
      notCovered({ situation, command, directories, concerns }, pattern, withDir(pattern)),
  })
}

function judgeOpaque(situation: Situation, part: Opaque): Judgement {
  const text = part.text.replace(/\s+/g, ' ').trim()
  const judgement = judge(situation, 'Bash', {
    text: part.text,
    isMeant: pattern => fillIn(situation, pattern).some(glob => matches(glob, text)),
    mayBeMeant: () => part.hides === true,
    notCovered: () => part.why,
  })
  const rule = part.hides && judgement.decision === 'allow' ? ruleAboutFiles(situation) : -1
  return rule < 0 ? judgement : { ...judgement, decision: 'ask', reason: fear(rule), rule: null }
}

/** What cannot be read may also open files. */
function ruleAboutFiles({ rules }: Situation): number {
  const isAbout = (rule: Rule) => isFor(rule, 'Write') || isFor(rule, 'Read')
  return rules.findIndex(rule => rule.decision !== 'allow' && isAbout(rule))
}

/** Writing into a file is what Write does, and reading from one what Read does. */
function judgeRedirection(situation: Situation, part: FileUse, directories: Directories): Judgement {
  const { target } = part
  const isCertain = isKnown(target) && (/^[/~]/.test(target.value) || directories.length === 1)
  const tool = part.kind === 'write' ? 'Write' : 'Read'
  const judgement = judgeFile(situation, tool, isCertain ? target.value : null, part.text)
  const free = part.kind === 'read' && judgement.decision === 'ask' && judgement.rule === null
  return free && situation.mode !== 'ask' && isCertain
    ? { ...judgement, decision: 'allow', reason: 'it only reads' }
    : judgement
}
