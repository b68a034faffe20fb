// Builds the files that bin/agenc.cjs may start: dist/main.js, and one file below dist/hot for completion and for each
// command that the registry marks as hot. Each is a single file: every further one takes Node about 0.4 ms to open.
import { dirname, join } from 'node:path'
import { build } from 'esbuild'

/**
 * Returns the files as ES modules, by their path below dist/. Also returns the modules that they load lazily, each with
 * the placeholder for its file name in the texts, and esbuild's list of inputs.
 */
export async function startFiles(root, settings) {
  const files = new Map()
  const lazy = new Map()
  const inputs = {}
  const add = async (path, contents, isLazy) => {
    const { outputFiles, metafile } = await build({
      ...settings,
      absWorkingDir: root,
      stdin: { contents, resolveDir: root, loader: 'ts' },
      write: false,
      metafile: true,
      bundle: true,
      minifyIdentifiers: true,
      format: 'esm',
      external: ['../main.js', '*.node'],
      plugins: [lazyPlugin(isLazy, lazy, dirname(path)), withoutUnused],
    })
    files.set(path, outputFiles[0].text)
    Object.assign(inputs, metafile.inputs)
  }

  // What a command needs in its normal course it imports statically. Everything behind an `import()` stays outside.
  const registry = await readRegistry(root)
  for (const { words, path } of await hotCommands(registry))
    await add(
      `hot/${words.join('.')}.js`,
      hotEntry(path, words.length),
      ({ target }) => target !== '../main.js',
    )

  for (const [name, whole] of Object.entries(registry.shortForms)) {
    const target = `${whole.replace(' ', '.')}.js`
    if (files.has(`hot/${target}`)) files.set(`hot/${name}.js`, shortEntry(target, whole.split(' ')))
  }

  // These two contain the modules that src/main.ts imports, commander included. All modules that those load are lazy.
  const main = join(root, 'src/main.ts')
  const isLazy = ({ importer }) => importer !== main
  await add('hot/_complete.js', "export { completeLine as main } from './src/main.ts'", isLazy)
  await add('main.js', "export { main } from './src/main.ts'", isLazy)
  return { files, lazy, inputs }
}

function hotEntry(path, wordCount) {
  return `import command from ${JSON.stringify(path)}
    import { runLoaded } from './src/main.ts'
    export const main = (argv: string[]) =>
      runLoaded(command, argv.slice(${wordCount}), async () => (await import('../main.js')).main(argv))`
}

/** Passes a short form on to the file of the command that it stands for. */
function shortEntry(target, words) {
  return `import { main as whole } from ${JSON.stringify(`./${target}`)}
    export const main = argv => whole([...${JSON.stringify(words)}, ...argv.slice(1)])`
}

/** Evaluates the registry with every command replaced by the path of its file. */
async function readRegistry(root) {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'src/commands/registry.ts')],
    write: false,
    bundle: true,
    format: 'esm',
    plugins: [pathsForCommands],
  })
  const { registry } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)
  return registry
}

async function hotCommands(registry) {
  const all = [
    ...Object.entries(registry.nouns).flatMap(([noun, { verbs }]) =>
      Object.entries(verbs).map(([verb, entry]) => ({ words: [noun, verb], entry })),
    ),
    ...Object.entries(registry.topLevel).map(([name, entry]) => ({ words: [name], entry })),
  ]
  const hot = all.filter(({ entry }) => entry.hot)
  return Promise.all(hot.map(async ({ words, entry }) => ({ words, path: (await entry.load()).default })))
}

const pathsForCommands = {
  name: 'paths-for-commands',
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) =>
      kind === 'dynamic-import' ? { path: join(resolveDir, path), namespace: 'command' } : undefined,
    )
    build.onLoad({ filter: /./, namespace: 'command' }, ({ path }) => ({
      contents: `export default ${JSON.stringify(path)}`,
    }))
  },
}

/**
 * Leaves lazy modules outside of the file, and notes them in `lazy`. Compares resolved paths, not the text of imports,
 * because two files may have the same name.
 */
function lazyPlugin(isLazy, lazy, directory) {
  return {
    name: 'lazy',
    setup(build) {
      build.onResolve({ filter: /./ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === resolving) return
        const { path: target } = await build.resolve(path, { resolveDir, kind, pluginData: resolving })
        if (!isLazy({ target, importer })) return
        if (!lazy.has(target)) lazy.set(target, `lazy-${lazy.size}.js`)
        return { path: `${directory === '.' ? './' : '../'}${lazy.get(target)}`, external: true }
      })
    },
  }
}

/** Marks a question of a plugin to esbuild, so that the plugin does not answer it itself. */
const resolving = Symbol('resolving')

/**
 * Parts of packages that agenc never calls. In better-sqlite3 they are a quarter of the code of a small hot file;
 * commander would load node:child_process, which takes Node 3 ms, for subcommands that are programs of their own.
 */
const unused = [
  { importer: 'commander/lib/', paths: ['node:child_process'] },
  { importer: 'better-sqlite3/lib/', paths: ['bindings'] },
  {
    importer: 'better-sqlite3/lib/database.js',
    paths: ['aggregate', 'backup', 'function', 'serialize', 'table'].map(name => `./methods/${name}`),
  },
]

const withoutUnused = {
  name: 'without-unused',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path, importer }) => {
      const isUnused = unused.some(part => importer.includes(part.importer) && part.paths.includes(path))
      return isUnused ? { path, namespace: 'unused' } : undefined
    })
    build.onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: '' }))
  },
}
