import { readFile } from 'node:fs/promises'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import type { ContentSource } from '../content.ts'
import { diskPath } from '../server/volume-server.ts'
import type { PeerAddress } from '../task/task.ts'
import { createDownloads, type DownloadPorts } from './download.ts'
import { createHttpClient } from './http-client.ts'

/** Source of a copy, until it is disposed. */
export interface PeerContent extends Disposable {
  readonly source: ContentSource
}

/**
 * Creates the source of a disk that another worker serves. Each of the two accepts the authority of
 * the other one only. `serving`: folder with our certificate.
 */
export async function createPeerSource(
  { host, port, name, authority }: PeerAddress,
  serving: string,
  ports: Omit<DownloadPorts, 'client'>,
): Promise<PeerContent> {
  const [certificate, key] = await Promise.all(['tls.crt', 'tls.key'].map((file) => readFile(join(serving, file), 'utf8')))
  const client = createHttpClient({
    authorities: [authority],
    insecureSkipVerify: false,
    idleMs: ports.patience.idleMs,
    peer: { name, certificate: certificate ?? '', key: key ?? '' },
  })
  const download = createDownloads({ ...ports, client })
  const url = new URL(`https://${isIPv6(host) ? `[${host}]` : host}:${port}${diskPath}`)
  return {
    source: { open: (from, signal) => download({ url, headers: () => Promise.resolve({}) }, from, signal) },
    [Symbol.dispose]: () => client[Symbol.dispose](),
  }
}
