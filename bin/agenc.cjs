#!/usr/bin/env node
const { accessSync, constants, existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { basename, dirname, join } = require('node:path')
const { Script } = require('node:vm')

const wrapper = 'mission-_run-wrapper'
/** Outside the session these become a mission's wrapper, in the same process. */
const staying = [wrapper, 'mission-fork', 'mission-new', 'mission-resume']
const staysAfterMs = 1_000
const newestKnownNode = 24
const dist = join(__dirname, '..', 'dist')

// What a key press starts has a file of its own below dist/hot; everything else goes through the whole program.
const words = process.argv.slice(2)
const wantsHelp = words.length <= 2 && ['-h', '--help'].includes(words.at(-1))
const hot = (wantsHelp ? ['_help'] : namesOf(words))
  .map(name => join(dist, 'hot', `${name}.js`))
  .find(existsSync)
if (hot === undefined) require(join(dist, 'main.js'))
else runCompiled(hot)

// A dash stands between two words of a command, never within the first.
function namesOf([first = '', second = '']) {
  if (!/^[a-z]+$/.test(first)) return []
  return /^[a-z_-]+$/.test(second) ? [`${first}-${second}`, first] : [first]
}

// V8's own result is kept beside the file, which saves a third of what our part of a start takes. The name holds
// what the file begins with, a hash of itself, because V8 compares no more than the length.
function runCompiled(file) {
  const source = readFileSync(file, 'latin1')
  const kept = `${file}.${source.slice(2, 18)}-${process.version}-${process.arch}`
  const cachedData = existsSync(kept) ? readFileSync(kept) : undefined
  const script = new Script(source, { filename: file, cachedData })
  let isKept = cachedData !== undefined && !script.cachedDataRejected
  const name = basename(file, '.js')
  const keepOnce = () => {
    if (!isKept) keep(() => (name === wrapper ? compiledWhole(source, file) : script), kept)
    isKept = true
  }
  if (!isKept) process.once('exit', keepOnce)
  // Node's first timer costs half a millisecond.
  if (staying.includes(name))
    setTimeout(() => {
      keepOnce()
      dropWhatIsCompiled()
    }, staysAfterMs).unref()
  const requireFromThere = name => require(name.startsWith('.') ? join(dirname(file), name) : name)
  script.runInThisContext()(requireFromThere, file)
}

// V8 compiles what is called, and so far nothing was called that a wrapper does at its end: of thirty that end at the
// same time, each would have to compile that anew.
function compiledWhole(source, file) {
  setFlag('--no-lazy')
  // Under the very same name V8 would give the one that it has.
  const script = new Script(source, { filename: `${dirname(file)}/./${basename(file)}` })
  setFlag('--lazy')
  return script
}

// A wrapper waits for hours: whenever V8 cleans up, it may drop half a MiB of compiled code, and compile again what is
// called again. Only after the above, since V8 takes nothing that was kept under other flags.
function dropWhatIsCompiled() {
  setFlag('--stress-flush-code')
}

// Only where it is known: V8 complains on the terminal otherwise.
function setFlag(flag) {
  if (Number.parseInt(process.versions.node, 10) <= newestKnownNode)
    require('node:v8').setFlagsFromString(flag)
}

function keep(compile, path) {
  try {
    accessSync(dirname(path), constants.W_OK)
    writeFileSync(`${path}.${process.pid}`, compile().createCachedData())
    renameSync(`${path}.${process.pid}`, path)
  } catch {
    // Installed by somebody else: then it is compiled each time.
  }
}
