// Loaded before the stand-in (`node -r`). Makes it misbehave as the file `kind` in $STAND_IN_FAULTS says, or the file
// `kind.<name>` for the mission of that name. A start that only asks for the version behaves.
//
//   slow    starts only when the file `go` exists
//   ignore  ignores HUP, INT and TERM until the file `let-go` exists
//   fail    exits with 3 at once
//   flood   prints without end
//   deaf    never starts, and ignores HUP, INT and TERM
const { existsSync, readFileSync } = require('node:fs')
const { join } = require('node:path')

const directory = process.env.STAND_IN_FAULTS
const endingSignals = ['SIGHUP', 'SIGINT', 'SIGTERM']
const pauseMs = 20

function kindOfThisStart() {
  if (process.argv.includes('--version')) return ''
  const name = process.argv.find(word => word.startsWith('--name='))?.slice('--name='.length)
  const files = [...(name ? [`kind.${name}`] : []), 'kind'].map(file => join(directory, file))
  const file = files.find(existsSync)
  return file ? readFileSync(file, 'utf8').trim() : ''
}

/** Blocks this process. A signal without a handler still ends it. */
function blockUntil(isOver) {
  const never = new Int32Array(new SharedArrayBuffer(4))
  while (!isOver()) Atomics.wait(never, 0, 0, pauseMs)
}

/** Handlers that the stand-in registers for ending signals are called later. */
function delaySignals() {
  const register = process.on.bind(process)
  process.on = (event, handler) => {
    if (!endingSignals.includes(event)) return register(event, handler)
    return register(event, () => {
      const timer = setInterval(() => {
        if (!existsSync(join(directory, 'let-go'))) return
        clearInterval(timer)
        handler()
      }, pauseMs)
    })
  }
}

switch (kindOfThisStart()) {
  case 'slow':
    blockUntil(() => existsSync(join(directory, 'go')))
    break
  case 'ignore':
    delaySignals()
    break
  case 'fail':
    console.error('no licence found')
    process.exit(3)
    break
  case 'flood': {
    const screenful = `${'flood '.repeat(1000)}\n`
    const flood = () => process.stdout.write(screenful, () => setImmediate(flood))
    flood()
    break
  }
  case 'deaf':
    for (const signal of endingSignals) process.on(signal, () => {})
    blockUntil(() => false)
}
