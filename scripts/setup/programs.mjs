// The programs that agenc needs, and the commands that install them. Nothing here runs a command.

/** Set-up stops without a `needed` program. agenc has a substitute for the others, or may not need them. */
export const programs = [
  { name: 'tmux', needed: true, why: 'missions live in its windows' },
  { name: 'git', needed: true, why: 'missions work on copies of repos' },
  { name: 'fzf', needed: false, why: 'fast pickers; without it agenc shows a plain prompt' },
]

const runsIn = 'some tests run in this shell, and are skipped without it'
/** Only CI installs these. */
export const ciPrograms = [
  { name: 'zsh', needed: false, why: runsIn },
  { name: 'fish', needed: false, why: runsIn },
  { name: 'jq', needed: false, why: 'the tests of docs/scripting.md run its examples with jq' },
  { name: 'make', needed: false, why: 'the tests of approvals run commands that try to make it run others' },
]

/**
 * Programs for the tests that open real windows, with their Debian packages. Only CI installs them. An
 * `isOptional` program is missing from some releases, and set-up continues without it.
 */
export const windowPrograms = [
  { name: 'Xvfb', debianPackage: 'xvfb', why: 'an X display without a screen' },
  { name: 'openbox', debianPackage: 'openbox', why: 'a window manager, which keeps the list of windows' },
  { name: 'wmctrl', debianPackage: 'wmctrl', why: 'lists, raises and closes windows' },
  { name: 'xdotool', debianPackage: 'xdotool', why: 'lists windows, and presses keys in them' },
  { name: 'xprop', debianPackage: 'x11-utils', why: 'lists windows' },
  { name: 'xterm', debianPackage: 'xterm', why: 'a terminal with one window per process' },
  { name: 'dbus-daemon', debianPackage: 'dbus', why: 'gnome-terminal needs a session bus' },
  { name: 'kitty', debianPackage: 'kitty', isOptional: true, why: 'a terminal that sets WINDOWID' },
  {
    name: 'gnome-terminal',
    debianPackage: 'gnome-terminal',
    isOptional: true,
    why: 'a terminal with all windows in one process',
  },
]

const compiles = 'compiles better-sqlite3 if no prebuilt binary can be downloaded'
export const compilers = [
  { name: 'python3', needed: false, why: compiles },
  { name: 'make', needed: false, why: compiles },
  { name: 'g++', needed: false, why: compiles },
]

const packageManagers = [
  { family: 'debian', command: ['apt-get', 'install', '-y'], packages: {} },
  { family: 'fedora', command: ['dnf', 'install', '-y'], packages: { 'g++': 'gcc-c++' } },
  { family: 'rhel', command: ['dnf', 'install', '-y'], packages: { 'g++': 'gcc-c++' } },
  { family: 'suse', command: ['zypper', 'install', '-y'], packages: { 'g++': 'gcc-c++' } },
  { family: 'arch', command: ['pacman', '-S', '--noconfirm'], packages: { 'g++': 'gcc', python3: 'python' } },
  { family: 'alpine', command: ['apk', 'add'], packages: {} },
]

/** Returns the system families that /etc/os-release names, the closest first, such as `ubuntu`, `debian`. */
export function familiesOf(osRelease) {
  const field = name => new RegExp(`^${name}=["']?([^"'\\n]*)`, 'm').exec(osRelease)?.[1] ?? ''
  return `${field('ID')} ${field('ID_LIKE')}`.split(/\s+/).filter(word => word !== '')
}

/**
 * Returns the commands that install `names`, and whether set-up may run them without asking: only as root on Debian
 * and its relatives. Returns no commands for an unknown system.
 */
export function installPlan(names, { platform, families, isRoot }) {
  if (names.length === 0) return { commands: [], mayRun: false }
  if (platform === 'darwin') return { commands: macCommands(names), mayRun: false }
  const manager = packageManagers.find(({ family }) => families.includes(family))
  if (!manager) return { commands: [], mayRun: false }
  const asRoot = isRoot ? [] : ['sudo']
  const packages = names.map(name => manager.packages[name] ?? name)
  const isDebian = manager.family === 'debian'
  const update = isDebian ? [[...asRoot, 'apt-get', 'update']] : []
  return {
    commands: [...update, [...asRoot, ...manager.command, ...packages]],
    mayRun: isDebian && isRoot,
  }
}

/**
 * The commands that install these window programs on Debian as root. Each optional package gets its own call,
 * because apt-get installs nothing if it does not know one of the packages.
 */
export function windowInstallCommands(missing) {
  if (missing.length === 0) return []
  const install = chosen => [
    'apt-get',
    'install',
    '-y',
    '--no-install-recommends',
    ...chosen.map(({ debianPackage }) => debianPackage),
  ]
  const required = missing.filter(({ isOptional }) => !isOptional)
  const optional = missing.filter(({ isOptional }) => isOptional)
  return [
    ['apt-get', 'update'],
    ...(required.length > 0 ? [install(required)] : []),
    ...optional.map(program => install([program])),
  ]
}

function macCommands(names) {
  const fromBrew = names.filter(name => !compilers.some(compiler => compiler.name === name))
  const needsCompiler = names.length > fromBrew.length
  return [
    ...(needsCompiler ? [['xcode-select', '--install']] : []),
    ...(fromBrew.length > 0 ? [['brew', 'install', ...fromBrew]] : []),
  ]
}
