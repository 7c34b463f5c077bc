import { readdir, type FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { openedFile } from './disk.ts'
import { openBeneath, pathOf } from './open-beneath.ts'
import { sendContent } from './send-content.ts'

/**
 * Answers for a path in a volume: a file with its content, a folder with links to its entries, as
 * Go's file server that KubeVirt uses. @throws NotInVolume
 */
export async function sendFromFolder(request: IncomingMessage, response: ServerResponse, root: string, path: string): Promise<number> {
  const names = path.split('/').filter((name) => name !== '')
  const found = await openBeneath(root, names)
  if ((await found.stat()).isFile()) {
    await using content = await openedFile(found)
    return await sendContent(request, response, content)
  }
  await using folder = found
  if (names.length > 0 && !path.endsWith('/')) {
    response.writeHead(301, { location: `${encodeURIComponent(names.at(-1) ?? '')}/` }).end()
    return 0
  }
  const listing = await listingOf(folder)
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': Buffer.byteLength(listing) })
  response.end(request.method === 'HEAD' ? undefined : listing)
  return Buffer.byteLength(listing)
}

async function listingOf(folder: FileHandle): Promise<string> {
  const entries = await readdir(pathOf(folder), { withFileTypes: true })
  const lines = entries.map((entry) => entry.name + (entry.isDirectory() ? '/' : '')).toSorted()
  const links = lines.map((name) => `<a href="./${encodeURIComponent(name).replaceAll('%2F', '/')}">${escaped(name)}</a>\n`)
  return `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${links.join('')}</pre>\n`
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0) ?? 0};`)
}
