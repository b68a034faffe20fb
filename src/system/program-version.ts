import coerce from 'semver/functions/coerce.js'
import gte from 'semver/functions/gte.js'

/**
 * Whether one version is the same as another or newer. Both are coerced: `3.2` counts as `3.2.0`, and a
 * pre-release counts as its release. A version without any number is not at least anything.
 */
export function isAtLeast(version: string, oldest: string): boolean {
  const [coerced, needed] = [coerce(version), coerce(oldest)]
  return coerced !== null && needed !== null && gte(coerced, needed)
}
