// Imported first, because the rest of the set-up uses what older versions of Node do not have. The comparison is
// written by hand: this runs before semver is installed.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 17)) {
  console.error(`setup: agenc needs Node 20.17 or newer, this is ${process.versions.node}`)
  process.exit(69)
}
