/** A git address without user and password, and the variables in which git finds them. */
export interface HiddenCredentials {
  url: string
  env: NodeJS.ProcessEnv
}

const withUser = /^(https?:\/\/)([^/:@]*)(?::([^/]*))?@([^/@]+)(.*)$/i
const userVariable = 'AGENC_GIT_USER'
const passwordVariable = 'AGENC_GIT_PASSWORD'
const helper = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$${userVariable}" "$${passwordVariable}"; }; f`

/**
 * Keeps a password, or a token in the place of a user, out of argument lists. `ps` shows those to every user, and git passes
 * an address on to its own helper program. An environment can be read only by its owner.
 */
export function hideCredentials(address: string): HiddenCredentials {
  const [, scheme, user, password, host, path] = withUser.exec(address) ?? []
  if (scheme === undefined) return { url: address, env: {} }
  const url = `${scheme}${host}${path}`
  const ofHost = `credential.${scheme}${host}`
  const settings = [
    // The first is for the stored address. The second keeps the user's own rules from rewriting the other one.
    `url.${url}.insteadOf=${address}`,
    `url.${url}.insteadOf=${url}`,
    // An empty value removes the user's own helpers, which an address with a password would not ask either.
    ...(password === undefined
      ? [`${ofHost}.username=${decoded(user!)}`]
      : [`${ofHost}.helper=`, `${ofHost}.helper=${helper}`]),
  ]
  return {
    url,
    env: {
      GIT_CONFIG_PARAMETERS: settings.map(quoted).join(' '),
      [userVariable]: decoded(user!),
      [passwordVariable]: decoded(password ?? ''),
    },
  }
}

function quoted(setting: string): string {
  return `'${setting.replaceAll("'", `'\\''`)}'`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Changes the address in the text of a repo's git config, without an argument list. */
export function withAddress(config: string, from: string, to: string): string {
  const value = `"${to.replace(/[\\"]/g, '\\$&')}"`
  return config.replace(`\turl = ${from}\n`, () => `\turl = ${value}\n`)
}
