import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The environment that makes node-gyp compile against the headers beside the running Node, so that it downloads
 * none from nodejs.org. Returns {} if there are no headers, or if they belong to another version.
 */
export function nodeHeadersEnv({ execPath, version }, readText = readTextOrEmpty) {
  const prefix = dirname(dirname(execPath))
  const header = readText(join(prefix, 'include', 'node', 'node_version.h'))
  return versionInHeader(header) === version ? { npm_config_nodedir: prefix } : {}
}

function versionInHeader(header) {
  return ['MAJOR', 'MINOR', 'PATCH']
    .map(part => new RegExp(`^#define NODE_${part}_VERSION (\\d+)`, 'm').exec(header)?.[1])
    .join('.')
}

function readTextOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
