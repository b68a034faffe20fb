/** A reason to skip a test that CI accepts, and why CI cannot do better. */
interface KnownSkip {
  reason: string
  why: string
}

export const knownSkips: readonly KnownSkip[] = [
  { reason: 'needs a user other than root', why: 'CI runs as root in its container' },
  { reason: 'cannot mount a disk', why: 'a container may not mount, unless it is privileged' },
  { reason: 'not installed: kitty', why: 'some Debian releases and architectures have no such package' },
  {
    reason: 'not installed: gnome-terminal',
    why: 'some Debian releases and architectures have no such package',
  },
]

export interface SkippedTest {
  name: string
  /** What the test passed to `context.skip()`. */
  reason: string | undefined
}

/** The skipped tests that must not be skipped in CI. */
export function unknownSkips(skipped: readonly SkippedTest[]): SkippedTest[] {
  return skipped.filter(({ reason }) => !knownSkips.some(known => known.reason === reason))
}
