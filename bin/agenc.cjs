#!/usr/bin/env node
// Without a listener, this signal makes Node open its debugger, through which other programs could run code in agenc.
process.on('SIGUSR1', () => {})

const { existsSync, mkdirSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { join } = require('node:path')

const { AGENC_DIRPATH, HOME } = process.env
const home = AGENC_DIRPATH || join(HOME || '/nonexistent', '.agenc')
// Node 22 and later can keep compiled code. It goes to agenc's home, which only the user can write to: in Node's default
// directory below /tmp, another user could plant code for us to run. A start must not create the home, though.
if (enableCompileCache && existsSync(home)) {
  mkdirSync(join(home, 'compile-cache'), { recursive: true, mode: 0o700 })
  enableCompileCache(join(home, 'compile-cache'))
}

const words = process.argv.slice(2)
const dist = join(__dirname, '..', 'dist')
const hot = hotNames(words).map(name => join(dist, 'hot', `${name}.js`))
require(hot.find(existsSync) ?? join(dist, 'main.js')).main(words)

// `agenc mission ls` may have a file of its own, hot/mission.ls.js.
function hotNames([first = '', second = '']) {
  const isName = word => /^[a-z_-]+$/.test(word)
  if (!isName(first)) return []
  return isName(second) ? [`${first}.${second}`, first] : [first]
}
