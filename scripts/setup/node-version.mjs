// setup.mjs imports this first, because the rest of the set-up uses features that older versions of Node lack.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 17)) {
  console.error(`setup: agenc needs Node 20.17 or newer, this is ${process.versions.node}`)
  process.exit(69)
}
