import { setOf } from './known-programs.ts'
import { lookUp } from './parts.ts'
import { type RiskyWord, riskyWords } from './risky-words.ts'

/** Options before the subcommand. All others there are risky: `-c`, `-C`, `--exec-path`, `--git-dir` …. */
const harmlessGlobalOptions = setOf(`
  --no-pager -P --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs
  --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice --version -v`)

/** Options before the subcommand that take the next word as their value. */
const valuedGlobalOptions = setOf(
  '-c -C --git-dir --work-tree --namespace --config-env --attr-source --exec-path',
)

/** Subcommands that stay inside the repository. Any other word may be an alias or a program. */
const plainSubcommands = setOf(`
  add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap
  check-ref-format checkout cherry cherry-pick clean column commit commit-graph commit-tree config
  count-objects describe diff diff-files diff-index diff-tree fast-export fetch fmt-merge-msg for-each-ref
  format-patch fsck gc get-tar-commit-id grep hash-object log ls-files ls-remote ls-tree merge merge-base
  merge-tree mktag mktree multi-pack-index mv name-rev notes pack-refs patch-id pickaxe prune prune-packed
  pull push range-diff read-tree rebase reflog remote repack replace rerere reset restore rev-list rev-parse
  revert rm shortlog show show-branch show-ref sparse-checkout stage stash status stripspace submodule switch
  symbolic-ref tag unpack-objects update-index update-ref var verify-commit verify-pack verify-tag version
  whatchanged worktree write-tree checkout-index`)

/** Subcommands that run a command given in their arguments. */
export const runningSubcommands = setOf('bisect difftool filter-branch foreach mergetool run')

const otherSubcommands = setOf(`
  bugreport clone credential daemon difftool fast-import fetch-pack filter-branch help index-pack init init-db
  instaweb interpret-trailers maintenance merge-file mergetool pack-objects quiltimport receive-pack request-pull
  send-email send-pack show-index update-server-info upload-archive upload-pack`)

/** git ignores an alias that has the name of a built-in subcommand. */
export function isBuiltInSubcommand(name: string): boolean {
  return plainSubcommands.has(name) || otherSubcommands.has(name)
}

/** The notation of this list and the next is explained in known-programs.ts. */
const riskyInAnySubcommand =
  '--output --ext-diff --textconv --upload-pack --receive-pack --exec --open-files-in-pager'

const riskyBySubcommand: Record<string, string> = {
  apply: '--unsafe-paths --build-fake-ancestor --directory',
  archive: '-o --remote --exec',
  bisect: 'run replay view visualize',
  bundle: 'create',
  'cat-file': '--filters',
  'checkout-index': '--prefix',
  'commit-graph': '--object-dir',
  'fast-export': '--export-marks --import-marks',
  'format-patch': '-o --output-directory',
  grep: '-O --ext-grep',
  'ls-remote': '-u',
  'multi-pack-index': '--object-dir',
  'read-tree': '--index-output',
  rebase: '-x -i --interactive --edit-todo',
  repack: '--filter-to --expire-to',
  submodule: 'foreach add update sync set-url absorbgitdirs',
  worktree: 'add move remove repair',
}

/** Options of push, fetch, pull and ls-remote that take no value. */
const transferFlags = setOf(`
  -- --all --allow-unrelated-histories --append --atomic --autostash --branches --commit --delete --dry-run
  --edit --exit-code --ff --ff-only --follow-tags --force --force-if-includes --force-with-lease --get-url
  --heads --ipv4 --ipv6 --keep --mirror --no-autostash --no-commit --no-edit --no-ff --no-rebase
  --no-recurse-submodules --no-stat --no-tags --no-verify --porcelain --progress --prune --prune-tags --quiet
  --rebase --refetch --refs --set-upstream --signed --signoff --squash --stat --symref --tags --thin
  --unshallow --update-shallow --verbose`)

/** Options that look like an abbreviation of a risky one but are not. */
const harmlessLookalikes = setOf('--text')

interface GitWords {
  globalOptions: string[]
  /** Undefined for a bare `git`. */
  subcommand: string | undefined
  args: string[]
}

export function splitGitWords(args: readonly string[]): GitWords {
  let at = 0
  while (args[at]?.startsWith('-')) at += valuedGlobalOptions.has(args[at]!) ? 2 : 1
  return { globalOptions: args.slice(0, at), subcommand: args[at], args: args.slice(at + 1) }
}

/** Finds the words after `git` that a glob such as `git *` does not cover. */
export function riskyGitWords(words: readonly string[]): RiskyWord[] {
  const { globalOptions, subcommand, args } = splitGitWords(words)
  const risky = globalOptions
    .filter(option => option.startsWith('-') && !harmlessGlobalOptions.has(option))
    .map(option => ({ word: option, names: [option.split('=', 1)[0]!, option] }))
  if (subcommand === undefined) return risky
  if (!plainSubcommands.has(subcommand)) return [...risky, namedByItself(subcommand)]
  const options = `${riskyInAnySubcommand} ${lookUp(riskyBySubcommand, subcommand) ?? ''}`
  return [
    ...risky,
    ...riskyWords(args, options).filter(found => !harmlessLookalikes.has(found.word)),
    ...args.filter(isHelperUrl).map(namedByItself),
    ...(subcommand === 'config' ? writtenSettings(args) : []),
    ...foreignRepositories(subcommand, args),
  ]
}

function namedByItself(word: string): RiskyWord {
  return { word, names: [word] }
}

/** A URL such as `ext::sh -c …` names a program that git runs as the transport. */
function isHelperUrl(arg: string): boolean {
  return /^(?:--?[\w-]+=)?[\w+.-]+::/.test(arg)
}

const readingOption = /^(?:--get|--get-all|--get-regexp|--get-urlmatch|--list|-l|get|list)$/
const neutralOption =
  /^(?:--global|--local|--system|--worktree|--show-origin|--show-scope|--name-only|-z|--null|--all|--includes|--no-includes|--type=[\w-]+|--bool|--int|--path|--default=.*)$/

/** Settings tell git which programs to run, so a rule has to name each key that is written. */
function writtenSettings(args: readonly string[]): RiskyWord[] {
  const rest = args.filter(arg => !neutralOption.test(arg))
  if (rest.some(arg => arg.startsWith('-') && !readingOption.test(arg))) return rest.map(namedByItself)
  if (readingOption.test(rest[0] ?? '') || rest.length === 0) return []
  return rest.length === 1 && rest[0]!.includes('.')
    ? []
    : rest.slice(0, rest[0]!.includes('.') ? 1 : 2).map(namedByItself)
}

const serverRepository = /^(?:(?:https?|ssh):\/\/(?:\w[^/@\s]*@)?\w|git@\w[\w.-]*:)/

/** A repository on this disk brings its own hooks and settings, and an unknown remote may be such a repository. */
function foreignRepositories(subcommand: string, args: readonly string[]): RiskyWord[] {
  const operands = args.filter(arg => !arg.startsWith('-'))
  if (subcommand === 'remote') {
    const written = /^(?:add|set-url)$/.test(operands[0] ?? '')
    return written && !operands.slice(2).every(url => serverRepository.test(url))
      ? [namedByItself(operands[0]!)]
      : []
  }
  if (!/^(?:push|fetch|pull|ls-remote)$/.test(subcommand)) return []
  const isKnown = (name: string) => /^(?:origin|upstream)$/.test(name) || serverRepository.test(name)
  const foreign = possibleRepositories(args).filter(name => !isKnown(name))
  return [...args.filter(arg => /^--repo/.test(arg)), ...foreign].map(namedByItself)
}

/** Returns the first operand. A word that may be the value of an option is returned too, with the operand after it. */
function possibleRepositories(args: readonly string[]): string[] {
  const places = [...args.keys()].filter(at => !args[at]!.startsWith('-'))
  const first = places.findIndex(at => !/^-/.test(args[at - 1] ?? '') || isFlag(args[at - 1]!))
  return (first < 0 ? places : places.slice(0, first + 1)).map(at => args[at]!)
}

function isFlag(option: string): boolean {
  return option.includes('=') || transferFlags.has(option) || /^-(?:[adefknpqrtuvP46]+$|[Xjos].)/.test(option)
}
