import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { stringify } from 'yaml'
import { headerSecretName, tokenHeader } from '../export-task.ts'

/** Objects of a manifest, as the controller wrote them. */
interface ManifestList {
  readonly items: readonly object[]
}

/** Sends the manifests of a VM. 404: there are none for this side. */
export async function sendManifests(request: IncomingMessage, response: ServerResponse, file: string): Promise<number> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    response.writeHead(404).end()
    return 0
  }
  return sendObjects(request, response, (JSON.parse(text) as ManifestList).items)
}

/** Sends the Secret by whose header CDI imports the volumes. */
export async function sendHeaderSecret(request: IncomingMessage, response: ServerResponse, name: string, token: string): Promise<number> {
  return sendObjects(request, response, [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: headerSecretName(name) },
      stringData: { token: `${tokenHeader}:${token}` },
    },
  ])
}

/** Writes YAML documents to a client that asks for YAML, a List in JSON to all others. */
function sendObjects({ headers }: IncomingMessage, response: ServerResponse, items: readonly object[]): number {
  const isYaml = headers.accept === 'application/yaml'
  const text = isYaml
    ? items.map((item) => `${stringify(item, { aliasDuplicateObjects: false, lineWidth: 0 })}---\n`).join('')
    : JSON.stringify({ apiVersion: 'v1', kind: 'List', metadata: {}, items }, undefined, 4)
  response.writeHead(200, { 'content-type': isYaml ? 'application/yaml' : 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
  return Buffer.byteLength(text)
}
