#!/usr/bin/env node
const { existsSync } = require('node:fs')
const { join } = require('node:path')

// What a key press starts has a file of its own below dist/hot; everything else goes through the whole program.
const words = process.argv.slice(2)
const wantsHelp = words.length <= 2 && ['-h', '--help'].includes(words.at(-1))
const names = wantsHelp ? ['_help'] : [words.slice(0, 2).join('-'), words[0] ?? '']
const hot = names
  .filter(name => wantsHelp || /^[a-z][a-z_-]+$/.test(name))
  .map(name => join(__dirname, '..', 'dist', 'hot', `${name}.js`))
require(hot.find(existsSync) ?? '../dist/main.js')
