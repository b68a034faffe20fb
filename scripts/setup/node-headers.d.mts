export function nodeHeadersEnv(
  node: { execPath: string; version: string },
  readText?: (path: string) => string,
): { npm_config_nodedir?: string }
