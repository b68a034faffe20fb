import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const licenceFile = /^(licen[cs]e|copying|notice)/i

/** The licences of all packages that esbuild put into the bundle: their terms ask us to pass them on. */
export function thirdPartyNotices(root, inputs) {
  const notices = packagesOf(inputs).map(path => notice(join(root, path)))
  return `agenc contains the following packages.\n\n${notices.join('\n')}`
}

function packagesOf(inputs) {
  const paths = Object.keys(inputs).map(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
  return [...new Set(paths.filter(path => path !== undefined))].sort()
}

function notice(directory) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  const texts = readdirSync(directory)
    .filter(file => licenceFile.test(file))
    .map(file => readFileSync(join(directory, file), 'utf8').trim())
  const terms = texts.length > 0 ? texts : [`${license}${author ? `, ${author.name ?? author}` : ''}`]
  return `${'-'.repeat(72)}\n${name} ${version} (${license})\n\n${terms.join('\n\n')}\n`
}
