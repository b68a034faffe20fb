import coerce from 'semver/functions/coerce.js'
import gte from 'semver/functions/gte.js'

/**
 * Whether a version is `oldest` or newer. Both are coerced: `3.2` counts as `3.2.0`, and a pre-release counts as its
 * release. Returns false if either has no number.
 */
export function isAtLeast(version: string, oldest: string): boolean {
  const [coerced, needed] = [coerce(version), coerce(oldest)]
  return coerced !== null && needed !== null && gte(coerced, needed)
}
