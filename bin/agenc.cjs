#!/usr/bin/env node
const { accessSync, constants, existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { basename, dirname, join } = require('node:path')
const { Script } = require('node:vm')

const wrapper = 'mission-_run-wrapper'
/** Outside the session these become a mission's wrapper, in the same process. */
const staying = [wrapper, 'mission-fork', 'mission-new', 'mission-resume']
const keptAfterMs = 1_500
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
  if (cachedData === undefined || script.cachedDataRejected) keepLater(script, kept, basename(file, '.js'))
  const requireFromThere = name => require(name.startsWith('.') ? join(dirname(file), name) : name)
  script.runInThisContext()(requireFromThere, file)
}

// What was not called by then is not in it. A wrapper has been through its ending after a moment; one that is over
// before that is no measure.
function keepLater(script, path, name) {
  let isDone = false
  const keepOnce = () => {
    if (!isDone) keep(script, path)
    isDone = true
  }
  if (name !== wrapper) process.once('exit', keepOnce)
  if (staying.includes(name)) setTimeout(keepOnce, keptAfterMs).unref()
}

function keep(script, path) {
  try {
    accessSync(dirname(path), constants.W_OK)
    writeFileSync(`${path}.${process.pid}`, script.createCachedData())
    renameSync(`${path}.${process.pid}`, path)
  } catch {
    // Installed by somebody else: then it is compiled each time.
  }
}
