import type { OperandCheck } from './known-programs.ts'
import { setOf } from './shell-command.ts'

const diff = `
  --stat --shortstat --numstat --name-only --name-status --cached --staged -p -u --patch --no-patch -s --color --color= --no-color
  -w -b -M -C -U= --unified= --word-diff --ignore-all-space --ignore-space-change --ignore-blank-lines --diff-filter= --summary
  --raw -z --exit-code --quiet --check --minimal --histogram --patience --no-renames --find-renames -R -a --text --full-index
  --no-ext-diff --no-textconv --relative --merge-base -S= -G= --pickaxe-regex -W --function-context --no-prefix --abbrev`
const log = `
  ${diff} -# -n= --max-count= --oneline --graph --all --decorate --no-decorate --format= --pretty= --pretty --abbrev-commit --author=
  --committer= --grep= --since= --until= --after= --before= -i -E -F --follow --no-merges --merges --first-parent --reverse --tags
  --branches --remotes --date= -L= --left-right --cherry-pick --topo-order --date-order --skip= -m -c --cc -g --walk-reflogs --source`
const refs = '--sort= --format= --contains= --merged --no-merged --points-at= --count= -i --no-color'

const isServer = (name: string) =>
  /^(?:origin|upstream|(?:https?|ssh):\/\/(?:\w+@)?\w[\w.-]*(?::\d+)?\/.*|git@\w[\w.-]*:.*)$/.test(name)

/** A repository on this disk brings its own hooks and settings, and an unknown remote may be such a repository. */
const fromServer = (operands: readonly string[]) => operands.length === 0 || isServer(operands[0]!)

/** Settings tell git which programs to run, so only reading them is harmless. */
const readsConfig = ([first = '', ...more]: readonly string[]) =>
  first === 'list' || (first === 'get' && more.length === 1) || (first.includes('.') && more.length === 0)

const startsWith =
  (...names: string[]) =>
  ([first = '']: readonly string[]) =>
    names.includes(first)

const changesRemote = ([verb = '', , ...urls]: readonly string[]) =>
  /^(?:get-url|show|rename|remove|rm|prune|)$/.test(verb) ||
  (/^(?:add|set-url)$/.test(verb) && urls.every(isServer))

/** Subcommands that stay inside the repository, with their harmless options. Hooks of the repository may run. */
export const gitTable = `
git --no-pager -P --no-optional-locks --no-replace-objects --literal-pathspecs --version
git/add -A -u -v -n -f -N --all --update --force --intent-to-add --dry-run --verbose
git/bisect
git/blame -L= -w -C -M -s -e -l -f -n --porcelain --line-porcelain --date=
git/branch ${refs} -a -r -v -vv -d -D -m -M -c -f -u= -q --all --list -l --show-current --set-upstream-to= --delete --move
  --remotes --track
git/cat-file -p -t -s -e
git/check-attr -a --all --stdin -z
git/check-ignore -v -q -n --stdin --no-index
git/checkout writes -b= -B= -q -f -t --track --detach --ours --theirs --orphan= --quiet --force
git/cherry-pick -x -n -m= --no-commit --continue --abort --skip --quit --mainline=
git/clean -f -d -x -X -n -q --dry-run --force
git/commit -m= -a -s -q -v -n -F= --message= --file= --amend --no-edit --signoff --allow-empty --allow-empty-message
  --quiet --no-verify --all --fixup= --squash= --reuse-message= -C= --date= --author= --dry-run --only --include -i
git/config --get= --get-all= --get-regexp= --list -l --global --local --system --worktree --show-origin --show-scope
  --name-only -z --null --type= --bool --int --path
git/count-objects -v -H
git/describe --tags --always --long --dirty --abbrev= --all --match= --exact-match --contains
git/diff ${diff}
git/diff-files ${diff}
git/diff-index ${diff}
git/diff-tree ${diff} -r --no-commit-id --root -m -c --cc
git/fetch --all --prune -p --tags -t --unshallow --depth= -q -v -f --dry-run --no-tags --force --quiet
git/for-each-ref ${refs}
git/format-patch -# --stdout -n
git/grep -n -i -l -L -c -w -v -E -F -P -I -h -H -q -o -e= -A= -B= -C= --cached --untracked --count --name-only --and --or
  --not --line-number --ignore-case --files-with-matches --word-regexp --no-index --heading --break --max-depth= -p -W
git/hash-object --stdin -t=
git/log ${log}
git/ls-files -m -o -d -s -z -c -u -t -i --others --exclude-standard --modified --cached --deleted --stage --error-unmatch
  --full-name --unmerged --ignored
git/ls-remote --heads --tags --refs --exit-code -q --symref --branches
git/ls-tree -r -d -t -l -z --name-only --name-status --full-tree --full-name
git/merge --no-ff --ff-only --ff --squash --abort --continue --quit --no-edit --no-commit --commit -m= -q -v -X=
  --no-verify --stat --allow-unrelated-histories
git/merge-base --is-ancestor --fork-point -a --all --octopus
git/mv writes -f -k -n -v
git/name-rev --name-only --tags --always
git/pull --rebase --no-rebase --ff-only --ff --no-ff --no-edit --autostash -q -v --quiet --tags -X= --all --prune -p
  --depth=
git/push -u -f -n -q -v -d --set-upstream --force-with-lease --force-with-lease= --force --force-if-includes --tags
  --dry-run --delete --all --follow-tags --no-verify --quiet --atomic --prune --porcelain
git/range-diff ${diff}
git/rebase --continue --abort --skip --quit --onto= -q -v --autostash --no-autostash --no-verify --keep-empty --stat -f
git/reflog ${log}
git/remote -v --verbose --push --add
git/reset --soft --mixed --hard --keep --merge -q -N
git/restore writes --staged -S --worktree -W -s= --source= -q --ours --theirs
git/rev-list ${log} --count --objects --parents
git/rev-parse --show-toplevel --abbrev-ref --short --short= --verify --git-dir --is-inside-work-tree --symbolic-full-name
  -q --quiet --show-prefix --show-cdup --git-common-dir --absolute-git-dir --all --is-bare-repository
  --is-shallow-repository
git/revert -n -m= --no-edit --no-commit --abort --continue --skip --quit
git/rm writes -r -f -q -n --cached --ignore-unmatch
git/shortlog -s -n -e --all --no-merges --since= --until=
git/show ${log}
git/show-ref --heads --tags --head --verify -q -s -d --hash
git/stash -m= -u -k -q -a -p --include-untracked --keep-index --index --message= --staged -S --stat --patch --name-only
  --oneline --all
git/status -s -b -v -z -uno -uall -unormal --short --branch --porcelain --porcelain= --long --ignored --untracked-files=
  --show-stash
git/submodule --recursive --quiet --cached
git/switch -c= -C= -q -d -t -f --create= --detach --track --discard-changes --orphan=
git/symbolic-ref --short -q
git/tag ${refs} -a -m= -d -l -f -n --list --delete --annotate --message= -F=
git/version --build-options
git/whatchanged ${log}
git/worktree --porcelain -v`.trim()

const subcommands = new Set([...gitTable.matchAll(/^git\/([\w-]+)/gm)].map(found => found[1]))

export const gitChecks: Readonly<Record<string, OperandCheck>> = {
  'git/bisect': startsWith('start', 'good', 'bad', 'new', 'old', 'reset', 'skip', 'log'),
  'git/config': (operands, values) => operands.length === 0 || (values.size === 0 && readsConfig(operands)),
  'git/fetch': fromServer,
  'git/ls-remote': fromServer,
  'git/pull': fromServer,
  'git/push': fromServer,
  'git/reflog': ([first = 'show']) => !/^(?:expire|delete|drop|write)$/.test(first),
  'git/remote': changesRemote,
  'git/stash': ([first = 'push']) => /^(?:push|pop|apply|list|show|drop|clear|branch|save)$/.test(first),
  'git/submodule': startsWith('status', 'summary'),
  'git/symbolic-ref': operands => operands.length === 1,
  'git/worktree': startsWith('list'),
}

const otherSubcommands = setOf(`
  am archive bundle cherry clone commit-graph commit-tree fsck gc help init interpret-trailers maintenance merge-file merge-tree
  notes prune read-tree repack rerere show-branch sparse-checkout stripspace update-index update-ref var verify-commit
  write-tree`)

/** git ignores an alias that has the name of a built-in subcommand. */
export function isBuiltInSubcommand(name: string): boolean {
  return subcommands.has(name) || otherSubcommands.has(name)
}

/** Options before the subcommand that take the next word as their value. */
const valuedGlobalOptions = setOf(
  '-c -C --git-dir --work-tree --namespace --config-env --attr-source --exec-path',
)

export function splitGitWords(args: readonly string[]): {
  globalOptions: string[]
  subcommand: string | undefined
} {
  let at = 0
  while (args[at]?.startsWith('-')) at += valuedGlobalOptions.has(args[at]!) ? 2 : 1
  return { globalOptions: args.slice(0, at), subcommand: args[at] }
}
