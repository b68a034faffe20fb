export interface GitOptions {
  cwd?: string
  gitDir?: string
  workTree?: string
  /** Further settings for this call, `key=value`. */
  config?: readonly string[]
}

/**
 * For every git that agenc starts: nothing that a repo or its settings bring along is executed.
 * The user's own settings for reaching a server (credentials, ssh, url.insteadOf, proxies) stay.
 */
const safeConfig = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'log.showSignature=false',
  'protocol.ext.allow=never',
  'protocol.file.allow=user',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'gc.autoDetach=false',
  'maintenance.autoDetach=false',
]

/** They belong to the git command that agenc may have been started from, and would point ours elsewhere. */
const foreignVariables =
  /^GIT_(DIR|WORK_TREE|IMPLICIT_WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|INTERNAL_SUPER_PREFIX|CONFIG|CONFIG_PARAMETERS|GRAFT_FILE|SHALLOW_FILE|REPLACE_REF_BASE|NO_REPLACE_OBJECTS|QUARANTINE_PATH|ATTR_SOURCE|DEFAULT_HASH|DEFAULT_REF_FORMAT|EXTERNAL_DIFF|(LITERAL|GLOB|NOGLOB|ICASE)_PATHSPECS)$/

export function gitArguments(args: readonly string[], options: GitOptions = {}): string[] {
  return [
    ...(options.gitDir ? [`--git-dir=${options.gitDir}`] : []),
    ...(options.workTree ? [`--work-tree=${options.workTree}`] : []),
    ...[...safeConfig, ...(options.config ?? [])].flatMap(setting => ['-c', setting]),
    ...args,
  ]
}

export function gitEnvironment(
  env: NodeJS.ProcessEnv,
  { mayPrompt }: { mayPrompt: boolean },
): NodeJS.ProcessEnv {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !foreignVariables.test(name)))
  // Large files come over the network, which a working copy must not need; `git lfs pull` gets them.
  const quiet = { ...own, GIT_LFS_SKIP_SMUDGE: '1' }
  if (mayPrompt) return quiet
  return {
    ...quiet,
    GIT_TERMINAL_PROMPT: '0',
    GCM_INTERACTIVE: 'never',
    SSH_ASKPASS: env.SSH_ASKPASS || 'false',
    SSH_ASKPASS_REQUIRE: 'force',
  }
}
