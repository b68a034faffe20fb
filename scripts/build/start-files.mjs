// Builds the files that bin/agenc.cjs may start: dist/main.js, and one file below dist/hot for each command that the
// registry marks as hot. Each is a single file, because Node takes about 0.4 ms for every further file it opens.
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'

const mainPath = 'main.js'

/** Large modules that hot commands seldom need: their files load these only when they reach the `import()`. */
const lazyInHotFiles = [
  './src/approvals/decide.ts',
  './src/config/check.ts',
  './src/system/stream.ts',
  './src/wrapper/run-here.ts',
  '@inquirer/prompts',
]

/**
 * Returns the built files, as ES modules, by their path below dist/, the modules that they load lazily by the names that they use for
 * them, and the inputs, for the licences.
 */
export async function startFiles(root, settings) {
  const files = new Map()
  const lazy = new Map()
  const inputs = {}
  const add = async (path, entry, isLazy) => {
    const { outputFiles, metafile } = await build({
      ...settings,
      ...entry,
      absWorkingDir: root,
      outfile: join(root, 'dist', path),
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

  const seldomNeeded = await Promise.all(lazyInHotFiles.map(module => resolvedPath(root, module)))
  for (const { words, path } of await hotCommands(root)) {
    const stdin = { contents: hotEntry(path, words.length), resolveDir: root, loader: 'ts' }
    await add(`hot/${words.join('.')}.js`, { stdin }, ({ target }) => seldomNeeded.includes(target))
  }
  const unused = lazyInHotFiles.filter((_, index) => !lazy.has(seldomNeeded[index]))
  if (unused.length > 0) throw new Error(`no hot command loads ${unused.join(', ')} with import()`)

  // In main.js, all that src/main.ts needs itself, which includes commander; the commands stay outside.
  const main = join(root, 'src/main.ts')
  await add(mainPath, { entryPoints: [main] }, ({ importer }) => importer !== main)
  return { files, lazy, inputs }
}

function hotEntry(path, wordCount) {
  return `import command from ${JSON.stringify(path)}
    import { runLoaded } from './src/main.ts'
    export const main = (argv: string[]) =>
      runLoaded(command, argv.slice(${wordCount}), async () => (await import('../main.js')).main(argv))`
}

/** Evaluates the registry with every command replaced by the path of its file. */
async function hotCommands(root) {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'src/commands/registry.ts')],
    write: false,
    bundle: true,
    format: 'esm',
    plugins: [pathsForCommands],
  })
  const { registry } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)
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
 * Leaves lazy modules outside of the file, and notes them in `lazy`. Compares resolved paths, not the text of imports:
 * two files of one name stay two files.
 */
function lazyPlugin(isLazy, lazy, directory) {
  return {
    name: 'lazy',
    setup(build) {
      build.onResolve({ filter: /./ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === resolving) return
        const { path: target } = await build.resolve(path, { resolveDir, kind, pluginData: resolving })
        if (!isLazy({ target, importer })) return
        const name = lazyName(build.initialOptions.absWorkingDir, target)
        lazy.set(target, name)
        return { path: `${directory === '.' ? '.' : '..'}/${name}.js`, external: true }
      })
    },
  }
}

/** Marks a question of a plugin to esbuild, so that the plugin does not answer it itself. */
const resolving = Symbol('resolving')

function lazyName(root, path) {
  const shown = path.includes('node_modules/') ? path.replace(/^.*node_modules\//, '') : relative(root, path)
  return `lazy/${shown.replace(/\.\w+$/, '').replace(/\W+/g, '-')}`
}

async function resolvedPath(root, module) {
  let found
  const ask = {
    name: 'ask',
    setup(build) {
      build.onStart(async () => {
        found = await build.resolve(module, { resolveDir: root, kind: 'dynamic-import' })
      })
    },
  }
  await build({ stdin: { contents: '' }, write: false, plugins: [ask], platform: 'node' })
  if (found.errors.length > 0) throw new Error(`cannot find ${module}: ${found.errors[0].text}`)
  return found.path
}

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
