import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

/** An object of an example. */
export interface ExampleObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name?: string; readonly namespace?: string }
  readonly [field: string]: unknown
}

/** An example of upstream. */
export interface Example {
  /** File and number in it, such as `doc/upload.md 2`. */
  readonly place: string
  readonly object: ExampleObject
}

const manifests = 'manifests/example'
/** Groups of kinds that the examples are about. Claims that name a source count, too. */
const groups = ['cdi.kubevirt.io', 'upload.cdi.kubevirt.io', 'kubevirt.io']

/** Reads the manifests of CDI's examples, and the objects in its documentation. */
export async function readExamples(source: string): Promise<readonly Example[]> {
  const files = (await readdir(join(source, manifests))).filter((name) => name.endsWith('.yaml')).map((name) => `${manifests}/${name}`)
  const pages = (await readdir(join(source, 'doc'))).filter((name) => name.endsWith('.md')).map((name) => `doc/${name}`)
  const found: Example[] = []
  for (const file of [...files, ...pages].toSorted()) {
    const text = await readFile(join(source, file), 'utf8')
    const blocks = file.endsWith('.md') ? [...text.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, block = '']) => block) : [text]
    const objects = blocks.flatMap((block) => objectsOf(block, file.endsWith('.md')))
    found.push(...objects.map((object, index) => ({ place: `${file} ${index + 1}`, object })))
  }
  return found
}

/** The documentation shows parts of objects and columns of tables, too: they are no examples. */
function objectsOf(text: string, isPage: boolean): ExampleObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0 && isPage) return []
    const object: unknown = document.toJS()
    if (typeof object !== 'object' || object === null || !('apiVersion' in object) || !('kind' in object)) return []
    return isPage && !isExample(object as ExampleObject) ? [] : [object as ExampleObject]
  })
}

function isExample({ apiVersion, kind, metadata, spec }: ExampleObject): boolean {
  // Kubernetes prints objects with their status.
  if (typeof metadata?.name !== 'string' || 'uid' in metadata) return false
  if (groups.includes(apiVersion.split('/')[0] ?? '')) return true
  return kind === 'PersistentVolumeClaim' && typeof spec === 'object' && spec !== null && 'dataSourceRef' in spec
}
