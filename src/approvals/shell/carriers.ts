/** How a program that runs the command it is given reads its own words before that command. */
export interface Carrier {
  /** Options that stand alone. */
  flags?: string
  /** Options followed by a value, or joined with it. */
  valued?: string
  /** Words between the options and the command: the seconds of `timeout`. */
  operands?: number
  /** Takes `NAME=value` words before the command. */
  assignments?: boolean
  /** Adds arguments of its own, unknown here. */
  appends?: boolean
}

/** These do nothing but run the command: no rule has to name them. */
export const transparentCarriers: Record<string, Carrier> = {
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

/** These change who or where the command is: a rule has to name them, and the command must be allowed too. */
export const namedCarriers: Record<string, Carrier> = {
  chroot: { operands: 1 },
  doas: { flags: '-n', valued: '-u' },
  sudo: { flags: '-n -S -k -H -b', valued: '-u -g -p', assignments: true },
  xargs: {
    flags: '-0 -r -t -x --null --no-run-if-empty --verbose --exit --replace --max-lines',
    valued: '-n -L -P -d -s -E -I --max-args --max-procs --delimiter --max-chars',
    appends: true,
  },
}

const list = (words: string) => new Set(words.trim().split(/\s+/))

/** These run a command found among their words in ways of their own: only a rule without wildcards covers one. */
export const opaqueCarriers = list(`
  ash at batch bwrap busybox capsh catchsegv cgexec chpst chronic chrt cross-env cgroup-exec dbus-run-session direnv
  dotenv dotenvx eatmydata emulate entr expect faketime fakeroot firejail flock gdb gosu guix hyperfine
  ifne inotifywait incrontab launchctl ld.so lldb ltrace make-pipe mise mispipe asdf nix-shell nix newgrp nocorrect noglob
  nsenter numactl op parallel pee perf pkexec prlimit proxychains proxychains4 repeat rlwrap rtrace run0 runuser runcon sandbox-exec screen
  script scriptreplay sem setarch setpriv setlock setuidgid sg softlimit ssh-agent start-stop-daemon strace su
  su-exec systemd-inhibit systemd-run taskset tmux torify torsocks toybox trickle tsocks unbuffer unshare valgrind
  waitfor watch watchexec nodemon winpty xcrun arch xvfb-run zsh-defer -`)

/** These run a command elsewhere or out of a package: a rule has to say which. */
export const remoteCarriers = list(`
  bunx docker-compose kubectl mosh npx pipx pnpx podman docker rsh ssh autossh sshpass uvx vagrant lxc
  limactl colima nerdctl buildah toolbox distrobox oc heroku flatpak snap`)

/** These run, as shell commands, what they are fed. */
export const fedShells = list('at batch parallel')

export const shells = list('sh bash zsh dash ksh ksh93 mksh rbash fish csh tcsh pwsh')

/** Builtins that change what the words after them mean. */
export const shellState = list(`
  alias unalias hash enable disable set setopt unsetopt shopt bind complete compgen compopt mapfile readarray
  read unset let getopts trap autoload functions zmodload sched zle emulate umask ulimit jobs fg bg disown kill
  wait history fc pushd popd cd chdir logout exit return break continue suspend dirs caller rehash zcompile
  limit unlimit vared zparseopts zstyle add-zsh-hook`)

export const declarations = list('export declare typeset local readonly integer float private')
