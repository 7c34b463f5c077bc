import { join } from 'node:path'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { serverPaths, serverUris, type ExportedVolume, type ExportTask, type LinkSide } from '../export-task.ts'
import { archiveOf } from './archive.ts'
import { openDisk } from './disk.ts'
import { gzipOf } from './gzip.ts'
import { openBeneath } from './open-beneath.ts'
import { sendContent } from './send-content.ts'
import { sendFromFolder } from './send-folder.ts'
import { sendHeaderSecret, sendManifests } from './send-manifests.ts'

/** A path of the server. */
export interface Route {
  /** Ends in a slash: all paths below it. */
  readonly path: string
  /** True if `HEAD` is answered, and parts of the content can be asked for. */
  readonly hasRanges: boolean
  /** Resolves to the number of bytes that were sent. `rest`: the path below a folder. */
  answer(request: IncomingMessage, response: ServerResponse, rest: string): Promise<number>
}

/** What the routes of a task need. */
export interface RouteOptions {
  readonly task: Pick<ExportTask, 'name' | 'volumes' | 'hasManifests'>
  /** Translates a path of the container to where it is. */
  readonly placeOf: (path: string) => string
  /** Reads the token. */
  readonly token: () => Promise<string>
}

const sides: readonly LinkSide[] = ['internal', 'external']

/** Returns the paths that a task asks for, by KubeVirt's rules. */
export function routesOf({ task: { name, volumes, hasManifests }, placeOf, token }: RouteOptions): readonly Route[] {
  return [
    ...volumes.flatMap((volume) => volumeRoutes({ ...volume, path: placeOf(volume.path) })),
    ...sides.flatMap((side): Route[] => [
      ...(hasManifests
        ? [
            {
              path: serverUris.manifests(side),
              hasRanges: false,
              answer: (request: IncomingMessage, response: ServerResponse) =>
                sendManifests(request, response, join(placeOf(serverPaths.manifests), side)),
            },
          ]
        : []),
      {
        path: serverUris.secret(side),
        hasRanges: false,
        answer: async (request, response) => sendHeaderSecret(request, response, name, await token()),
      },
    ]),
  ]
}

function volumeRoutes({ claim, path, isDisk }: ExportedVolume): readonly Route[] {
  if (!isDisk)
    return [
      {
        path: serverUris.folder(claim),
        hasRanges: true,
        answer: (request, response, rest) => sendFromFolder(request, response, path, rest),
      },
      { path: serverUris.archive(claim), hasRanges: false, answer: (_request, response) => sendArchive(response, path) },
    ]
  return [
    {
      path: serverUris.raw(claim),
      hasRanges: true,
      answer: async (request, response) => {
        await using disk = await openDisk(path)
        return await sendContent(request, response, disk)
      },
    },
    { path: serverUris.gzip(claim), hasRanges: false, answer: (_request, response) => sendCompressed(response, path) },
  ]
}

async function sendCompressed(response: ServerResponse, path: string): Promise<number> {
  await using disk = await openDisk(path)
  response.writeHead(200, { 'content-type': 'application/gzip' })
  await pipeline(gzipOf(disk.file, disk.bytes), response)
  return disk.bytes
}

async function sendArchive(response: ServerResponse, path: string): Promise<number> {
  await using folder = await openBeneath(path, [])
  response.writeHead(200, { 'content-type': 'application/gzip' })
  const compressing = createGzip({ level: 1 })
  await pipeline(archiveOf(folder), compressing, response)
  return compressing.bytesWritten
}
