// Commands that a key press or a script in a loop starts: one file each, so that Node opens one file instead of
// thirty, and without commander, which only help and mistakes need.
import { join } from 'node:path'
import { build } from 'esbuild'

const hot = {
  'mission-_run-wrapper': 'mission/run-wrapper',
  'mission-fork': 'mission/fork',
  'mission-ls': 'mission/ls',
  'mission-new': 'mission/new',
  'mission-resume': 'mission/resume',
  'mission-stop': 'mission/stop',
  'tmux-next': 'tmux/next',
  'tmux-switch': 'tmux/switch',
  status: 'status',
}

/** Too big to be carried along by every file for the few times they are needed. */
export const apart = {
  stream: 'src/exec/stream.ts',
  prompts: '@inquirer/prompts',
  lockfile: 'proper-lockfile',
}

/** Path below dist/ → text. */
export async function hotFiles(root, settings) {
  const files = new Map()
  for (const [name, command] of Object.entries(hot)) {
    const words = command.split('/').length
    const done = await build({
      ...settings,
      absWorkingDir: root,
      stdin: {
        contents: `import command from './commands/${command}.ts'
          import { mainWith } from './main.ts'
          void mainWith(command, process.argv.slice(${words + 2}), () => require('../main.js'))`,
        resolveDir: join(root, 'src'),
        loader: 'ts',
      },
      outdir: join(root, 'dist'),
      write: false,
      bundle: true,
      format: 'cjs',
      external: ['../main.js', '*.node'],
      define: { 'import.meta.filename': '__filename' },
      plugins: [leaveApart],
    })
    files.set(join('hot', `${name}.js`), done.outputFiles[0].text)
  }
  return files
}

const leaveApart = {
  name: 'leave-apart',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path, kind }) => {
      if (kind !== 'dynamic-import') return
      const name = Object.keys(apart).find(key => apart[key].endsWith(path.replace(/^\.\//, '')))
      return name && { path: `../apart/${name}.js`, external: true }
    })
  },
}
