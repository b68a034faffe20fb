// Loaded with `node -r`. Shifts the clock of this process by the milliseconds in the file $FAULT_CLOCK, read anew each
// time. Without the file, the clock is right.
const { readFileSync } = require('node:fs')

const RealDate = Date

function shiftMs() {
  try {
    return Number(readFileSync(process.env.FAULT_CLOCK, 'utf8'))
  } catch {
    return 0
  }
}

global.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + shiftMs())
    else super(...parts)
  }

  static now() {
    return RealDate.now() + shiftMs()
  }
}
