/** Choices that are the same for the same seed. */
export interface Random {
  /** A whole number from 0 to below `end`. */
  below(end: number): number
  pick<T>(list: readonly T[]): T
  pickWeighted<T extends { weight: number }>(list: readonly T[]): T
}

export function randomFrom(seed: number): Random {
  const next = mulberry32(seed)
  const random: Random = {
    below: end => Math.floor(next() * end),
    pick: list => {
      if (list.length === 0) throw new Error('there is nothing to pick from')
      return list[random.below(list.length)]!
    },
    pickWeighted: list => {
      let rest = next() * list.reduce((sum, { weight }) => sum + weight, 0)
      for (const one of list) {
        rest -= one.weight
        if (rest < 0) return one
      }
      return random.pick(list)
    },
  }
  return random
}

/** A small generator of numbers from 0 to below 1, by Tommy Ettinger (public domain). */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
