// Generates schemas and manifests from the interfaces in src/api, and reference pages from the
// sources. With --check it writes nothing and exits 1 when a file is stale.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generate, readRepository } from './outputs.ts'
import { generateMonitoring } from './monitoring.ts'
import { generateReference } from './reference/reference.ts'
import { renderTekton } from './tekton.ts'

const root = join(import.meta.dirname, '..', '..')

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const generated = generate(readRepository(root))
const { files: reference, metrics } = generateReference(root)
const monitoring = generateMonitoring(root, metrics, generated.get('manifests/alerts/hyperconverged.yaml') ?? '')
const files = new Map([...generated, ...reference, ...monitoring, ...renderTekton()])
const stale = [...files].filter(([path, text]) => textOf(join(root, path)) !== text)

if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is stale: run npm run generate`)
  process.exitCode = stale.length > 0 ? 1 : 0
} else {
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  console.log(`${files.size} generated files, ${stale.length} written`)
}
