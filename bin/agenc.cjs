#!/usr/bin/env node
const { existsSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { join } = require('node:path')

const words = process.argv.slice(2)
const dist = join(__dirname, '..', 'dist')
const hot = hotNames(words).map(name => join(dist, 'hot', `${name}.js`))

// From Node 22 on, Node keeps what V8 compiled. Never in its default directory below /tmp, where another user could
// put code for us to run.
const { HOME, XDG_CACHE_HOME } = process.env
if (HOME) enableCompileCache?.(join(XDG_CACHE_HOME || join(HOME, '.cache'), 'agenc', 'compiled'))

require(hot.find(existsSync) ?? join(dist, 'main.js')).main(words)

// `mission ls` has its own file, mission.ls.js; everything else goes through main.js.
function hotNames([first = '', second = '']) {
  const isPlain = word => /^[a-z_-]+$/.test(word)
  if (!isPlain(first)) return []
  return isPlain(second) ? [`${first}.${second}`, first] : [first]
}
