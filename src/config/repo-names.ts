import type { Config } from './schema.ts'

/** A repo's id: host, owner and name, or `local/<parent>/<name>`. */
export const wholeRepoName = /^[^/]+(?:\/[^/]+){2,}$/

/** The repos that have settings of their own. */
export function configuredRepos({ repos }: Pick<Config, 'repos'>): string[] {
  return Object.keys(repos).filter(key => wholeRepoName.test(key))
}
