import type { Output } from './output.ts'

/** For `--quiet`: warnings begin with the program's name and stay; news does not, and is dropped. */
export function quietOutput(err: Output): Output {
  return {
    ...err,
    isTerminal: false,
    write: () => {},
    line: (text = '') => {
      if (/^(\u001b\[\d+m)?agenc:/.test(text)) err.line(text)
    },
  }
}
