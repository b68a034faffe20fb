/** What git's own words can do beyond the repository; the notation is that of programs.ts. */

const list = (words: string) => new Set(words.trim().split(/\s+/))

/** Before the subcommand; every other option there is risky (`-c`, `-C`, `--exec-path`, `--git-dir` …). */
export const harmlessGlobalOptions = list(`
  --no-pager -P --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs
  --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice --version -v`)

/** Global options followed by a value, for finding the subcommand behind them. */
export const valuedGlobalOptions = list(
  '-c -C --git-dir --work-tree --namespace --config-env --attr-source --exec-path',
)

/** Subcommands that stay inside the repository. Any other word may be an alias or a program. */
export const plainSubcommands = list(`
  add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap
  check-ref-format checkout cherry cherry-pick clean column commit commit-graph commit-tree config
  count-objects describe diff diff-files diff-index diff-tree fast-export fetch fmt-merge-msg for-each-ref
  format-patch fsck gc get-tar-commit-id grep hash-object log ls-files ls-remote ls-tree merge merge-base
  merge-tree mktag mktree multi-pack-index mv name-rev notes pack-refs patch-id pickaxe prune prune-packed
  pull push range-diff read-tree rebase reflog remote repack replace rerere reset restore rev-list rev-parse
  revert rm shortlog show show-branch show-ref sparse-checkout stage stash status stripspace submodule switch
  symbolic-ref tag unpack-objects update-index update-ref var verify-commit verify-pack verify-tag version
  whatchanged worktree write-tree checkout-index`)

/** Subcommands that run a command they are given. */
export const runningSubcommands = list('bisect difftool filter-branch foreach mergetool run')

const otherSubcommands = list(`
  bugreport clone credential daemon difftool fast-import fetch-pack filter-branch help index-pack init init-db
  instaweb interpret-trailers maintenance merge-file mergetool pack-objects quiltimport receive-pack request-pull
  send-email send-pack show-index update-server-info upload-archive upload-pack`)

/** A name that git has itself cannot be an alias. */
export function isOwnSubcommand(name: string): boolean {
  return plainSubcommands.has(name) || otherSubcommands.has(name)
}

/** In any subcommand. */
export const riskyEverywhere =
  '--output --ext-diff --textconv --upload-pack --receive-pack --exec --open-files-in-pager'

export const riskyBySubcommand: Record<string, string> = {
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

/** Options of push, fetch, pull and ls-remote that take no word after them. */
export const flagsOfTransfer = list(`
  -- --all --allow-unrelated-histories --append --atomic --autostash --branches --commit --delete --dry-run
  --edit --exit-code --ff --ff-only --follow-tags --force --force-if-includes --force-with-lease --get-url
  --heads --ipv4 --ipv6 --keep --mirror --no-autostash --no-commit --no-edit --no-ff --no-rebase
  --no-recurse-submodules --no-stat --no-tags --no-verify --porcelain --progress --prune --prune-tags --quiet
  --rebase --refetch --refs --set-upstream --signed --signoff --squash --stat --symref --tags --thin
  --unshallow --update-shallow --verbose`)

/** Options that only look like the beginning of a risky one. */
export const harmlessLookalikes = list('--text')
