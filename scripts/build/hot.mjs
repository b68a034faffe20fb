// Commands that a key press or a script in a loop starts: one file each, so that Node opens one file instead of
// thirty, and without commander, which only help and mistakes need.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { build } from 'esbuild'

const hot = {
  'mission-_run-wrapper': 'mission/run-wrapper',
  'mission-fork': 'mission/fork',
  'mission-ls': 'mission/ls',
  'mission-new': 'mission/new',
  'mission-resume': 'mission/resume',
  'mission-stop': 'mission/stop',
  'tmux-kill': 'tmux/kill',
  'tmux-next': 'tmux/next',
  'tmux-switch': 'tmux/switch',
  status: 'status',
}

const help = `import { printPage } from './cli/help/page.ts'
  printPage(process.argv.slice(2), () => require('../main.js'))`

/** Too big to be carried along by every file for the few times they are needed: by how they are imported. */
const imports = {
  './stream.ts': 'src/system/stream.ts',
  './config-file.ts': 'src/config/config-file.ts',
  './run-here.ts': 'src/wrapper/run-here.ts',
  '@inquirer/prompts': '@inquirer/prompts',
  '../approvals/decide.ts': 'src/approvals/decide.ts',
}
const nameOf = path => path.replace(/\W+/g, '-')
export const apart = Object.fromEntries(Object.values(imports).map(path => [nameOf(path), path]))

/** Path below dist/ → text. */
export async function hotFiles(root, settings) {
  const entries = Object.entries(hot).map(([name, command]) => [name, start(command)])
  const files = new Map()
  for (const [name, contents] of [...entries, ['_help', help]]) {
    const done = await build({
      ...settings,
      minifyIdentifiers: true,
      // bin/agenc.cjs reads a byte a character.
      charset: 'ascii',
      absWorkingDir: root,
      stdin: { contents, resolveDir: join(root, 'src'), loader: 'ts' },
      outdir: join(root, 'dist'),
      write: false,
      bundle: true,
      format: 'cjs',
      external: ['../main.js', '*.node'],
      supported: { 'dynamic-import': false },
      define: { 'import.meta.filename': '__filename' },
      plugins: [leaveApart, leaveOut],
    })
    files.set(join('hot', `${name}.js`), stamped(done.outputFiles[0].text))
  }
  return files
}

/**
 * As bin/agenc.cjs calls it, which has no module of its own for it. It knows by the stamp which compiled form belongs
 * to the text.
 */
function stamped(code) {
  const text = `(function (require, __filename) {${code}})`
  return `/*${createHash('sha256').update(text).digest('hex').slice(0, 16)}*/${text}`
}

function start(command) {
  const words = command.split('/').length
  return `import command from './commands/${command}.ts'
    import { mainWith } from './main.ts'
    void mainWith(command, process.argv.slice(${words + 2}), () => require('../main.js'))`
}

/** Parts of better-sqlite3 that agenc never calls: a quarter of what a small command would carry. */
const unused = [
  'bindings',
  ...['aggregate', 'backup', 'function', 'serialize', 'table'].map(name => `./methods/${name}`),
]

const leaveOut = {
  name: 'leave-out',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path, importer }) => {
      if (!unused.includes(path) || !importer.includes('better-sqlite3')) return
      return { path, namespace: 'unused' }
    })
    build.onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: '' }))
  },
}

const leaveApart = {
  name: 'leave-apart',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path, kind }) => {
      if (kind !== 'dynamic-import' || !Object.hasOwn(imports, path)) return
      return { path: `../apart/${nameOf(imports[path])}.js`, external: true }
    })
  },
}
