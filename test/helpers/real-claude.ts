import { execFile } from 'node:child_process'
import { accessSync, constants, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const realClaudeVersion = '2.1.325'

const installTimeoutMs = 240_000
const apiKey = 'dummy-key-for-a-stub-0123456789'

/** The path of the real program, or the reason why it is not available. */
export type RealClaude = { path: string } | { missing: string }

/**
 * Returns the program named by `$AGENC_REAL_CLAUDE`. Without that variable, installs the pinned release from npm into
 * the temporary directory, where later runs find it.
 */
export async function findRealClaude(env: NodeJS.ProcessEnv = process.env): Promise<RealClaude> {
  const given = env.AGENC_REAL_CLAUDE
  if (given)
    return isExecutable(given)
      ? { path: given }
      : { missing: `AGENC_REAL_CLAUDE names ${given}, which is not executable` }
  const cache = join(tmpdir(), 'agenc-real-claude')
  const path = join(cache, 'node_modules', '@anthropic-ai', 'claude-code', 'bin', 'claude.exe')
  if (isExecutable(path)) return { path }
  const failure = await install(cache)
  return isExecutable(path)
    ? { path }
    : { missing: `Claude Code ${realClaudeVersion} could not be installed: ${failure}` }
}

/** Names the version, because npm on an older Node silently chooses an older release. */
async function install(cache: string): Promise<string> {
  mkdirSync(cache, { recursive: true })
  const args = ['install', '--prefix', cache, '--no-audit', '--no-fund']
  try {
    await promisify(execFile)('npm', [...args, `@anthropic-ai/claude-code@${realClaudeVersion}`], {
      timeout: installTimeoutMs,
    })
    return 'npm installed no executable'
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export interface ClaudeHome {
  home: string
  config: string
  /** A complete environment. It inherits nothing from the caller except PATH. */
  env: Record<string, string>
}

/** Creates a private home in which Claude starts without dialogs in the trusted directories. */
export function seedClaudeHome(
  home: string,
  trusted: readonly string[],
  baseUrl = 'http://127.0.0.1:9',
): ClaudeHome {
  const config = join(home, '.claude')
  mkdirSync(config, { recursive: true, mode: 0o700 })
  const projects = Object.fromEntries(
    trusted.map(directory => [realpathSync(directory), { allowedTools: [], hasTrustDialogAccepted: true }]),
  )
  writeJson(join(config, '.claude.json'), {
    hasCompletedOnboarding: true,
    lastOnboardingVersion: '99.0.0',
    theme: 'dark',
    numStartups: 10,
    hasSeenAutoDefaultNotice: true,
    lastClawdEntranceVersion: realClaudeVersion,
    lastReleaseNotesSeen: realClaudeVersion,
    officialMarketplaceAutoInstallAttempted: true,
    customApiKeyResponses: { approved: [apiKey.slice(-20)], rejected: [] },
    projects,
  })
  writeJson(join(config, 'settings.json'), {
    skipDangerousModePermissionPrompt: true,
    prefersReducedMotion: true,
  })
  return { home, config, env: claudeEnv(home, config, baseUrl) }
}

function claudeEnv(home: string, config: string, baseUrl: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    CLAUDE_CONFIG_DIR: config,
    ANTHROPIC_API_KEY: apiKey,
    ANTHROPIC_BASE_URL: baseUrl,
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
  }
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, JSON.stringify(value, null, 2), { mode: 0o600 })
}
