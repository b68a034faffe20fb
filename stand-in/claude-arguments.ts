import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { modeChoices, modeFromWord, type PermissionMode } from './permissions.ts'
import { claudeVersion } from './release.ts'

export interface Arguments {
  sessionId?: string
  /** A session id or a name, or `true` if the flag was given without a value. */
  resume?: string | true
  continue?: boolean
  forkSession?: boolean
  permissionMode?: PermissionMode
  allowedTools: string[]
  disallowedTools: string[]
  settings?: string
  name?: string
  model?: string
  prompt?: string
  /** Without a terminal: messages come and go as lines of JSON. */
  print?: boolean
  inputFormat?: string
  outputFormat?: string
  permissionPromptTool?: string
  verbose?: boolean
}

/** The parsed command line, or a text to print and the exit code to leave with. */
export type Parsed = { run: Arguments } | { print: string; exitCode: number }

export function parseArguments(argv: readonly string[]): Parsed {
  let printed = ''
  const command = declare().exitOverride()
  const print = (text: string) => {
    printed += text
  }
  command.configureOutput({ writeOut: print, writeErr: print }).configureHelp({ helpWidth: 80 })
  try {
    command.parse([...argv], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return { print: printed, exitCode: error.exitCode }
    throw error
  }
  return { run: argumentsOf(command) }
}

function declare(): Command {
  return new Command('claude')
    .description(
      'A scripted stand-in for Claude Code: same flags, hooks and files, no account and no network',
    )
    .argument('[prompt]', 'Your prompt')
    .addOption(
      new Option('--allowedTools, --allowed-tools <tools...>', 'Tools to allow (e.g. "Bash(git *) Edit")'),
    )
    .option('-c, --continue', 'Continue the most recent conversation in the current directory')
    .option('--dangerously-skip-permissions', 'Bypass all permission checks')
    .addOption(new Option('--disallowedTools, --disallowed-tools <tools...>', 'Tools to deny'))
    .option('--fork-session', 'When resuming, create a new session ID instead of reusing the original')
    .option('--input-format <format>', 'Input format (only works with --print): "text" or "stream-json"')
    .option('--model <model>', 'Model for the current session')
    .option('-n, --name <name>', 'Set a display name for this session')
    .option('--output-format <format>', 'Output format (only works with --print): "text" or "stream-json"')
    .addOption(permissionModeOption())
    .option('--permission-prompt-tool <tool>', 'Who is asked for permissions (only works with --print)')
    .option('-p, --print', 'Print response and exit')
    .option('-r, --resume [value]', 'Resume a conversation by session ID or name')
    .option('--session-id <uuid>', 'Use a specific session ID for the conversation (must be a valid UUID)')
    .option('--settings <file-or-json>', 'Path to a settings JSON file or a JSON string')
    .option('--verbose', 'Override verbose mode setting from config')
    .version(`${claudeVersion} (Claude Code)`, '-v, --version', 'Output the version number')
    .helpOption('-h, --help', 'Display help for command')
}

/** Accepts `default` as well as `manual`, although help and error messages do not mention it. */
function permissionModeOption(): Option {
  return new Option('--permission-mode <mode>', 'Permission mode to use for the session')
    .choices(modeChoices)
    .argParser(word => {
      const mode = modeFromWord(word)
      if (!mode) throw new InvalidArgumentError(`Allowed choices are ${modeChoices.join(', ')}.`)
      return mode
    })
}

function argumentsOf(command: Command): Arguments {
  const { allowedTools, disallowedTools, dangerouslySkipPermissions, ...rest } = command.opts()
  return {
    ...rest,
    ...(dangerouslySkipPermissions ? { permissionMode: 'bypassPermissions' } : {}),
    allowedTools: toolList(allowedTools),
    disallowedTools: toolList(disallowedTools),
    prompt: command.args[0],
  }
}

/** Splits at spaces and commas, except inside parentheses: `Bash(git *) Edit,Write` names three tools. */
function toolList(words: readonly string[] = []): string[] {
  return words.flatMap(word => word.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? [])
}
