export interface Window {
  /** As the window system counts: a decimal number, the form of `WINDOWID`. */
  readonly id: string
  readonly pid: number
  readonly title: string
}

/**
 * What agenc needs of a desktop. A further one (a Wayland compositor) is one more implementation
 * and one more line in `windowSystemFor`.
 */
export interface WindowSystem {
  /** All windows of this machine's processes, from one query; null where windows cannot be told. */
  list(): Window[] | null
  /** True when the window was asked; whether it obeys is its own affair. */
  focus(window: Window): boolean
  close(window: Window): boolean
  /** The variable in which a terminal tells its child which window it runs in. */
  readonly idVariable: 'WINDOWID' | null
  /** What is missing here and how to mend it, for `agenc doctor`; null when nothing is. */
  problem(): string | null
}
