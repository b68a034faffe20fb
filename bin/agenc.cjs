#!/usr/bin/env node
const { existsSync } = require('node:fs')
const { join } = require('node:path')

// What a key press starts has a file of its own below dist/hot; everything else goes through the whole program.
const [noun = '', verb = ''] = process.argv.slice(2)
const hot = [`${noun}-${verb}`, noun]
  .filter(name => /^[a-z][a-z_-]+$/.test(name))
  .map(name => join(__dirname, '..', 'dist', 'hot', `${name}.js`))
require(hot.find(existsSync) ?? '../dist/main.js')
