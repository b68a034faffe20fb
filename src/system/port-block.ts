import { errorCode } from '../errors.ts'

/** Each mission has a block of this many ports. */
export const portsPerBlock = 10

const highestPort = 65_535

const numbers = Array.from({ length: portsPerBlock }, (_, index) => index)

/** The variables in which a mission's programs find their ports. */
export const portVariableNames = ['AGENC_PORT', ...numbers.map(number => `AGENC_PORT_${number}`)]

/** Without a block, every value is undefined, so that the ports of another mission are not inherited. */
export function portVariables(firstPort: number | null): Record<string, string | undefined> {
  if (firstPort === null) return Object.fromEntries(portVariableNames.map(name => [name, undefined]))
  const ports = numbers.map(number => [`AGENC_PORT_${number}`, String(firstPort + number)])
  return { AGENC_PORT: String(firstPort), ...Object.fromEntries(ports) }
}

/** The blocks from a port on that do not overlap with those in use, lowest first. */
export function* unusedBlocks(from: number, used: () => readonly number[]): Generator<number> {
  for (let first = from; first + portsPerBlock - 1 <= highestPort; first += portsPerBlock)
    if (!overlaps(first, used())) yield first
}

export function overlaps(first: number, used: readonly number[]): boolean {
  return used.some(other => Math.abs(other - first) < portsPerBlock)
}

/** Whether no program of this machine listens on any port of the block. */
export async function isBlockFree(first: number): Promise<boolean> {
  for (const host of ['127.0.0.1', '::1']) {
    const free = await Promise.all(numbers.map(number => isFree(first + number, host)))
    if (free.includes(false)) return false
  }
  return true
}

const inUse = ['EADDRINUSE', 'EACCES']
/** A machine without IPv6 has no ::1. */
const noSuchAddress = ['EADDRNOTAVAIL', 'EAFNOSUPPORT']

function isFree(port: number, host: string): Promise<boolean> {
  // Loaded only here, because every list of missions needs the names above.
  const { createServer } = process.getBuiltinModule('node:net')
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', error => {
      const code = errorCode(error) ?? ''
      if (inUse.includes(code)) resolve(false)
      else if (noSuchAddress.includes(code)) resolve(true)
      else reject(error)
    })
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
