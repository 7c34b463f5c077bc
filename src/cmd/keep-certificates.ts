import { watch } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { EmbeddedApi, EmbeddedApiOptions } from '#apiserver/embedded-api.ts'
import { configMaps } from '#api/core/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { dataDirectory } from '#machine/data-directory.ts'
import { renderKubeconfig } from '#machine/pki/kubeconfig.ts'
import { rotatePki } from '#machine/pki/rotate.ts'
import { renewalRequested, type Pki } from '#machine/pki/pki.ts'
import { replaceFile } from '#machine/write-file.ts'
import { defineCertificateMetrics } from '#runtime/certificates/metrics.ts'
import type { Renewal } from '#runtime/certificates/rotation.ts'
import { systemClock } from '#runtime/clock.ts'
import type { Logger } from '#runtime/log.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'

/** What the API server shows and believes. */
export type ServedTls = Required<Pick<EmbeddedApiOptions, 'tls' | 'proxyClient'>>

/** Reads it from the files as they are now. */
export async function readTls(pki: Pki): Promise<ServedTls> {
  const files = [pki.apiserver.certificate, pki.ca.certificate, pki.requestHeaderCa.certificate, pki.proxyClient.certificate]
  const [own = '', clientCa = '', proxyCa = '', proxy = ''] = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  // Each file holds a certificate and its key.
  return { tls: { key: own, cert: own, clientCa, proxyCa }, proxyClient: { key: proxy, cert: proxy } }
}

/** What {@link keepCertificates} needs. */
export interface KeepOptions {
  readonly api: EmbeddedApi
  /** Of the API server itself. */
  readonly client: Client
  readonly log: Logger
  /** Folder with all certificates of the machine. */
  readonly directory: string
  /** Folder with one folder for each node. */
  readonly nodes: string
  /** Told what is to be believed from now on. */
  readonly onAuthority: (pem: string) => void
  /** Where it is told for how long certificates are good. */
  readonly metrics: Pick<Metrics, 'gaugeFrom'>
}

/**
 * Renews the certificates of the machine in time, and when it is asked to, while everything runs.
 * Until the signal.
 */
export async function keepCertificates(options: KeepOptions, signal: AbortSignal): Promise<void> {
  const { api, client, log, directory, nodes, onAuthority } = options
  let renewals: readonly Renewal[] = []
  defineCertificateMetrics(options.metrics, { clock: systemClock, renewals: () => renewals })
  const onChange = async (pki: Pki): Promise<void> => {
    const { tls, proxyClient } = await readTls(pki)
    await api.reloadTls(tls, proxyClient)
    onAuthority(tls.clientCa)
    await tellPods(client, tls.clientCa)
    await rewriteKubeconfig(pki, dataDirectory(dirname(directory)).kubeconfig)
    log.info({}, 'Certificates of this machine have changed')
  }
  let wake = (): void => {}
  using _watcher = closing(watch(directory, { persistent: false }, () => wake()))
  while (!signal.aborted) {
    const changed = Promise.withResolvers<void>()
    wake = changed.resolve
    const rotation = {
      directory,
      nodes: nodes === '' ? [] : await readdir(nodes).catch(() => []),
      replaceBefore: await renewalRequested(directory),
      now: () => systemClock.now(),
      onChange,
      onRest: (next: readonly Renewal[]) => void (renewals = next),
    }
    const rest = await rotatePki(rotation).catch((error: unknown) => {
      log.error({ err: error }, 'Cannot renew the certificates of this machine: trying again')
      return RETRY_MS
    })
    using _timer = systemClock.after(Math.min(rest, LONGEST_REST_MS), () => changed.resolve())
    signal.addEventListener('abort', () => changed.resolve(), { once: true })
    await changed.promise
  }
}

const RETRY_MS = 10_000
const LONGEST_REST_MS = 3_600_000

/** Pods find in a file what to believe; it is made from these. */
async function tellPods(client: Client, pem: string): Promise<void> {
  const { items } = await client.list(configMaps, { fieldSelector: 'metadata.name=kube-root-ca.crt' })
  for (const { metadata } of items) {
    const { namespace = '', name = '' } = metadata
    await client.patch(configMaps, { namespace, name }, { type: 'merge', body: { data: { 'ca.crt': pem } } })
  }
}

/**
 * Copies of it that people have made go on, too, as long as the old authority is believed; this one
 * does for longer.
 */
async function rewriteKubeconfig(pki: Pki, file: string): Promise<void> {
  const server = /server: (\S+)/.exec(await readFile(file, 'utf8').catch(() => ''))?.[1]
  if (server === undefined) return
  await replaceFile(file, await renderKubeconfig({ server, caFile: pki.ca.certificate, user: 'admin', identity: pki.admin }, 'yaml'), 0o600)
}

function closing(watcher: { close(): void }): Disposable {
  return { [Symbol.dispose]: () => watcher.close() }
}
