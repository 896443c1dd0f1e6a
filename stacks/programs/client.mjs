// One request by a client of a package of Node: client.mjs NAME URL METHOD FILE-WITH-BODY.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const [, , name, url, method, file] = process.argv
const body = readFileSync(file)
const content = body.length > 0 ? body : undefined
// Packages are where NODE_PATH says, which `import` does not look at.
const require = createRequire(import.meta.url)
const library = await import(require.resolve(name))
if (name === 'digest-fetch') {
  const Client = library.default?.default ?? library.default
  const response = await new Client('Mufasa', 'Circle of Life').fetch(url, { method, body: content })
  await response.text()
} else {
  await library.request(url, { method, content, digestAuth: 'Mufasa:Circle of Life' })
}
process.exit(0)
