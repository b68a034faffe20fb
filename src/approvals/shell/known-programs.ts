export function setOf(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/))
}

/**
 * Options that make well-known programs run other programs, read instructions from a file the caller chooses, or write
 * to other places. A wildcard does not cover them: a rule has to contain them.
 *
 * `--long` also stands for its abbreviations and for `--long=value`. `-x` also stands for `-xvalue` and `-abx`. `-word`
 * is for programs with long option names after one dash. `word` stands for exactly that argument. An item that ends in
 * `=`, `.`, `@` or `+` stands for every argument that starts with it.
 */
export const riskyOptions: Record<string, string> = {
  ag: '--pager --path-to-ignore',
  ansible: '-a --args -m --module-name -e --extra-vars -M --module-path --playbook-dir',
  awk: `
    -f --file -i --include -l --load -E --exec -d --dump-variables -o --pretty-print -p --profile -D
    --debug`,
  bat: '--pager --config-file --diff --cache-dir',
  biome: '--config-path --vcs-root',
  brew: 'tap edit sh ruby irb create extract --debug -d --prefix --git',
  bun: `
    -e --eval -p --print -r --preload --require --import --cwd -c --config --env-file --outfile --outdir
    x exec create run`,
  bundle: 'exec config plugin open --gemfile --path',
  cargo: '--config --manifest-path --target-dir --out-dir --artifact-dir -C -Z --lockfile-path install +',
  cp: '-t --target-directory',
  crontab: '-',
  curl: `
    -o --output -O --remote-name --remote-name-all -J --remote-header-name --output-dir -K --config -T
    --upload-file -c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --libcurl --hsts
    --alt-svc --etag-save --engine --unix-socket --abstract-unix-socket -x --proxy --preproxy
    --netrc-file -w --write-out --create-dirs --next -:`,
  date: '-s --set -f --file',
  dd: 'of=',
  deno: `
    eval repl run install task compile upgrade -c --config --import-map --cert --lock -A --allow-all
    --allow-run --allow-write`,
  conda: 'run',
  diff: '-l --paginate',
  dmesg: '-C --clear -c --read-clear -n -D -E',
  dotnet: 'exec tool new -o --output',
  ed: '-',
  emacs: '--eval --execute -l --load -f --funcall --script --batch -q',
  eslint: `
    -o --output-file --rulesdir -c --config --resolve-plugins-relative-to -f --format --cache-location
    --cache-file --parser --plugin --fix`,
  ex: '-c -S -s -u + --cmd -w -W',
  fd: '-x --exec -X --exec-batch',
  file: '-C --compile -m --magic-file -z --uncompress -f',
  find: '-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from',
  fzf: '--preview --bind --execute --listen --history --filter-command',
  gcc: '-o -B -wrapper -specs -fplugin -dumpdir -save-temps',
  gem: 'exec install -',
  gh: 'alias extension extensions ext codespace cs auth config browse api --hostname',
  go: `
    -exec -toolexec -o -C -overlay -modfile -vettool -ldflags -gcflags -asmflags -cpuprofile -memprofile
    -trace -outputdir -pkgdir run generate install get tool env bug`,
  gpg: `
    -o --output --homedir --options --exec-path --photo-viewer --keyserver-options --load-extension
    --agent-program --dirmngr-program --log-file --status-file --logger-file --attribute-file --edit-key
    --export-secret-keys --export-secret-subkeys`,
  gradle: `
    -b --build-file -c --settings-file -I --init-script -p --project-dir -P --project-prop -D
    --system-prop --include-build -g --gradle-user-home --project-cache-dir`,
  hatch: 'run',
  install: '-t --target-directory --strip-program',
  java: `
    -cp -classpath --class-path -jar -agentlib -agentpath -javaagent -XX -D -m --module -p --module-path
    @`,
  jest: `
    -c --config --rootDir --globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --runner
    --testRunner --testEnvironment -e --env --transform --resolver --reporters --coverageDirectory
    --outputFile --cacheDirectory --testResultsProcessor --testSequencer --projects --preset
    --prettierPath`,
  journalctl: '--vacuum-size --vacuum-time --vacuum-files --rotate --flush --setup-keys --cursor-file',
  less: `
    -o -O --log-file --LOG-FILE -k --lesskey-file --lesskey-src --lesskey-content -t --tag -T --tag-file
    +`,
  ln: '-t --target-directory',
  lua: '-e -l -i -',
  make: '-f --file --makefile -C --directory -I --include-dir -E --eval -W -o --old-file --what-if',
  man: `
    -P --pager -H --html -C --config-file -p --preprocessor -T --troff-device -l --local-file -M
    --manpath -X --gxditview`,
  more: '+',
  mv: '-t --target-directory',
  mvn: `
    -f --file -s --settings -gs --global-settings -D --define -t --toolchains -l --log-file exec:exec
    exec:java`,
  mysql: `
    -e --execute --pager --tee --init-command --plugin-dir --defaults-file --defaults-extra-file
    --login-path`,
  nano: '-o -f --rcfile -C --backupdir -s --speller',
  nc: '-e -c --exec --sh-exec --lua-exec -o --output -x --hex-dump',
  nmap: '--script --script-args -oN -oX -oS -oG -oA --datadir --resume --stylesheet',
  node: `
    -e --eval -p --print -r --require --import --loader --experimental-loader -i --interactive
    --env-file --env-file-if-exists --run --test-reporter --test-reporter-destination
    --test-global-setup --inspect --inspect-brk --inspect-port --inspect-wait --cpu-prof --cpu-prof-dir
    --heap-prof --heap-prof-dir --diagnostic-dir --report-dir --report-directory --openssl-config
    --icu-data-dir --redirect-warnings --trace-event-file-pattern --build-snapshot --snapshot-blob
    --experimental-config-file --experimental-default-config-file --experimental-sea-config --build-sea
    --policy --experimental-policy --conditions -C --watch-path -`,
  npm: `
    --prefix -C --script-shell --userconfig --globalconfig -g --global --location --node-options --shell
    --git --editor --viewer --browser --registry --cache --init-module --call -c --package
    --onload-script --node-gyp --scripts-prepend-node-path --logs-dir --proxy --https-proxy exec x
    explore edit config c set init create innit pkg publish unpublish link ln`,
  nvim: `
    -c --cmd -S -s -u + -l -w -W --server --remote --remote-expr --remote-send --listen -i --embed
    --headless --startuptime -es -Es`,
  openssl: `
    -out -engine -provider -provider-path -config -writerand -keyout -CAserial -CAcreateserial -signer
    -key -passin -passout s_client s_server ca engine`,
  osascript: '-e -l -i',
  pdm: 'run -o --output',
  perl: '-e -E -i -M -m -I -x -d -D -s -S -C -',
  php: `
    -r -B -R -E -F -d -c -z -a -S -t --run --process-begin --process-code --process-end --define
    --php-ini --zend-extension`,
  pip: `
    -t --target --prefix --root --python --cache-dir --log -i --index-url --extra-index-url -f
    --find-links --trusted-host --config-settings -C --global-option --build-option --editable -e --src
    --report -r --requirement -c --constraint config install download wheel`,
  pipenv: 'run',
  pnpm: `
    --dir -C --prefix --script-shell --shell-emulator --config --global -g --global-dir --store-dir
    --virtual-store-dir --modules-dir --workspace-dir --filter -F --recursive -r --node-options
    --registry exec dlx create init config set get x publish link import env node start-node`,
  poetry: 'run -o --output',
  prettier: `
    --plugin --config --with-node-modules --ignore-path --cache-location --write -w --plugin-search-dir
    --find-config-path`,
  printf: '-v',
  psql: '-c --command -f --file -o --output -L --log-file -v --set --variable -d --dbname -X',
  pytest: `
    -p -c --config-file --rootdir --basetemp --junitxml --junit-xml --confcutdir -o --override-ini
    --import-mode --pdbcls --log-file --html --cov-report --cov-config --pastebin`,
  pyenv: 'exec',
  python: '-c -m -i -X -W -',
  rbenv: 'exec',
  redis: '--eval --pipe --rdb --functions-rdb',
  rg: '--pre --hostname-bin --search-zip -z --pre-glob --ignore-file',
  rsync: `
    -e --rsh --rsync-path --daemon --config --files-from --log-file --write-batch --only-write-batch
    --read-batch --partial-dir -T --temp-dir --backup-dir --remove-source-files --remove-sent-files
    --password-file --early-input -M --remote-option -f --filter -F --exclude-from --include-from
    --delete --del --delete-before --delete-during --delete-after --delete-excluded --copy-dest
    --link-dest --compare-dest --address --sockopts --out-format`,
  ruby: '-e -r -I -i -x -S -C -n -p -s --disable --enable --jit -',
  rye: 'run',
  scp: '-o -S -F -J -D -i -c',
  screen: '-X -S -c -d -dm',
  sed: '-i --in-place -f --file',
  sftp: '-o -S -F -J -D -b -i -s',
  shuf: '-o --output',
  sort: '-o --output --compress-program -T --temporary-directory --files0-from',
  split: '--filter',
  sqlite3: '-cmd -init -A -append -zip -vfs . --cmd --init',
  ssh: '-o -F -E -S -W -D -L -R -I -i -A -w -J -O -Q -X -Y -M -f -N -P -t',
  sysctl: '-w --write -p --load --system -f',
  tar: `
    -I --use-compress-program --to-command --checkpoint-action --checkpoint -C --directory -F
    --info-script --new-volume-script --rmt-command --rsh-command -P --absolute-names --transform
    --xform -T --files-from --one-top-level --index-file -g --listed-incremental --recursive-unlink
    --remove-files --overwrite --unlink-first -U --volno-file -K --keep-directory-symlink`,
  tcpdump: '-w -z -r -Z -C -G -W -F -V',
  terraform: `
    -chdir -out -state -state-out -backup -plugin-dir -var-file apply destroy import console init`,
  test: '-v -R',
  tree: '-o -R -H -T --fromfile',
  tsc: `
    --outDir --outFile --project -p --build -b --tsBuildInfoFile --declarationDir --generateTrace
    --generateCpuProfile --plugins --rootDir --baseUrl -o --out @`,
  unzip: '-d -o -:',
  uv: `
    run tool pip python publish self --directory --project --python -p --config-file --cache-dir --with
    --env-file`,
  vi: '-c --cmd -S -s -u + -w -W -r -t -V -i -U',
  vim: '-c --cmd -S -s -u + -w -W --startuptime --remote --remote-expr --servername -i -U -V -es -Es',
  vitest: `
    -c --config --root -r --dir --environment --reporter --outputFile --pool --runner --globalSetup
    --setupFiles --api --browser --execArgv --configLoader init`,
  wget: `
    -O --output-document -o --output-file -a --append-output -P --directory-prefix -e --execute --config
    --use-askpass --post-file --body-file -i --input-file --save-cookies --rejected-log --warc-file
    --warc-tempdir --warc-cdx --hsts-file --default-page --choose-config --base -B -b --background -K
    --backup-converted --unlink --ca-directory --private-key --certificate`,
  wireshark: '-X -w -r',
  xxd: '-r -revert',
  yarn: `
    --cwd --script-shell --use-yarnrc --modules-folder --cache-folder --global-folder --prefix --global
    --registry --node-options exec dlx create init config set plugin node x link publish global
    run-script workspace workspaces import policies npm`,
  yq: '-i --inplace -s --split-exp --front-matter load',
  zip: '-T -TT --unzip-command --test -O --out --output-file -b --temp-path -m --move -@',
}

/** For programs that are not listed above. */
export const riskyOptionsOfOthers = '--exec --eval --command --output --output-file'

/** Programs whose long options start with one dash. */
export const oneDashPrograms = setOf('find go gcc java openssl terraform nmap')

/** No argument makes these run or write anything, so an unknown argument does no harm. */
export const inertPrograms = setOf(`
  ls cat head wc pwd echo true false : basename dirname realpath readlink stat du df cut tr nl rev tac fold
  fmt expand unexpand seq sleep whoami id uname which type md5sum sha1sum sha256sum sha512sum shasum cksum cmp
  comm paste join od hexdump strings grep egrep fgrep jq tail nproc groups tty logname printenv`)

/** These write to the file that their second operand names. */
export const writesSecondOperand = new Set(['uniq', 'xxd'])

/** These run their standard input as a program if no file is named. */
export const interpreters = setOf(`
  node python perl ruby php lua deno bun tsx ts-node osascript awk sed make bc emacs expect tclsh wish irb pry
  R Rscript julia swift kotlin scala elixir clj racket guile at batch crontab patch cpio tar`)

/** These always read commands from standard input, and some of those commands run programs. */
export const commandReaders = setOf(
  'psql mysql sqlite3 dc gdb redis mongosh ed ex vi vim nvim ghci iex erl sbcl',
)

/** Other names for the same program. */
export const programAliases: Record<string, string> = {
  'c++': 'gcc',
  'docker-compose': 'docker',
  'g++': 'gcc',
  '[': 'test',
  cc: 'gcc',
  clang: 'gcc',
  'clang++': 'gcc',
  fdfind: 'fd',
  batcat: 'bat',
  mawk: 'awk',
  nawk: 'awk',
  gawk: 'awk',
  bsdtar: 'tar',
  ncat: 'nc',
  netcat: 'nc',
  nodejs: 'node',
  'py.test': 'pytest',
  pypy: 'python',
  'redis-cli': 'redis',
  'ts-node': 'node',
  tsx: 'node',
  view: 'vim',
  vimdiff: 'vim',
  gvim: 'vim',
  rvim: 'vim',
  ripgrep: 'rg',
  gpg2: 'gpg',
  tofu: 'terraform',
  zgrep: 'grep',
  podman: 'docker',
  mvnw: 'mvn',
  gradlew: 'gradle',
}

/** A program that runs the command given in its arguments, and the words it takes before that command. */
export interface Launcher {
  /** Options without a value. */
  flags?: string
  /** Options with a value, as the next word or joined. */
  valued?: string
  /** Number of words between the options and the command, such as the seconds of `timeout`. */
  operands?: number
  /** Takes `NAME=value` words before the command. */
  assignments?: boolean
  /** Adds arguments that are not known in advance. */
  addsArguments?: boolean
}

/** These only run the command, so no rule has to name them. */
export const transparentLaunchers: Record<string, Launcher> = {
  builtin: {},
  caffeinate: { flags: '-d -i -m -s -u', valued: '-t' },
  command: { flags: '-p' },
  env: { assignments: true },
  exec: {},
  ionice: { flags: '-t', valued: '-c -n' },
  nice: { valued: '-n --adjustment' },
  nohup: {},
  setsid: { flags: '-w --wait' },
  stdbuf: { valued: '-i -o -e --input --output --error' },
  time: { flags: '-p' },
  timeout: {
    flags: '--foreground --preserve-status -v --verbose',
    valued: '-k --kill-after -s --signal',
    operands: 1,
  },
}

/** These change the user, the root or the arguments of the command. A rule has to name them and the command too. */
export const namedLaunchers: Record<string, Launcher> = {
  chroot: { operands: 1 },
  doas: { flags: '-n', valued: '-u' },
  sudo: { flags: '-n -S -k -H -b', valued: '-u -g -p', assignments: true },
  xargs: {
    flags: '-0 -r -t -x --null --no-run-if-empty --verbose --exit --replace --max-lines',
    valued: '-n -L -P -d -s -E -I --max-args --max-procs --delimiter --max-chars',
    addsArguments: true,
  },
}

/** These run a command from their arguments, but agenc cannot follow how. Only a rule without wildcards covers them. */
export const opaqueLaunchers = setOf(`
  ash at batch bwrap busybox capsh catchsegv cgexec chpst chronic chrt cross-env cgroup-exec dbus-run-session direnv
  dotenv dotenvx eatmydata emulate entr expect faketime fakeroot firejail flock gdb gosu guix hyperfine
  ifne inotifywait incrontab launchctl ld.so lldb ltrace make-pipe mise mispipe asdf nix-shell nix newgrp nocorrect noglob
  nsenter numactl op parallel pee perf pkexec prlimit proxychains proxychains4 repeat rlwrap rtrace run0 runuser runcon sandbox-exec screen
  script scriptreplay sem setarch setpriv setlock setuidgid sg softlimit ssh-agent start-stop-daemon strace su
  su-exec systemd-inhibit systemd-run taskset tmux torify torsocks toybox trickle tsocks unbuffer unshare valgrind
  waitfor watch watchexec nodemon winpty xcrun arch xvfb-run zsh-defer -`)

/** These run a command on another machine, in a container or from a package. A rule has to name which one. */
export const remoteLaunchers = setOf(`
  bunx docker-compose kubectl mosh npx pipx pnpx podman docker rsh ssh autossh sshpass uvx vagrant lxc
  limactl colima nerdctl buildah toolbox distrobox oc heroku flatpak snap`)

/** These run their standard input as shell commands. */
export const stdinShells = setOf('at batch parallel')

export const shells = setOf('sh bash zsh dash ksh ksh93 mksh rbash fish csh tcsh pwsh')

/** Shell builtins that change how later commands are read or run. */
export const stateBuiltins = setOf(`
  alias unalias hash enable disable set setopt unsetopt shopt bind complete compgen compopt mapfile readarray
  read unset let getopts trap autoload functions zmodload sched zle emulate umask ulimit jobs fg bg disown kill
  wait history fc pushd popd cd chdir logout exit return break continue suspend dirs caller rehash zcompile
  limit unlimit vared zparseopts zstyle add-zsh-hook`)

/** Shell builtins that set variables. */
export const declarationBuiltins = setOf('export declare typeset local readonly integer float private')
