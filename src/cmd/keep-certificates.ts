import { watch } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { EmbeddedApi, EmbeddedApiOptions } from '#apiserver/embedded-api.ts'
import { configMaps } from '#api/core/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { dataDirectory } from '#machine/home/data-directory.ts'
import { renderKubeconfig } from '#machine/pki/kubeconfig.ts'
import { rotatePki } from '#machine/pki/rotate.ts'
import { renewalRequested, type Pki } from '#machine/pki/pki.ts'
import { replaceFile } from '#machine/home/write-file.ts'
import { defineCertificateMetrics } from '#runtime/certificates/metrics.ts'
import type { Renewal } from '#runtime/certificates/rotation.ts'
import { aborted } from '#runtime/clock/abort.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'

/** Certificates of the API server and CAs of its clients. */
export type ServedTls = Required<Pick<EmbeddedApiOptions, 'tls' | 'proxyClient'>>

/** Reads the current files. */
export async function readTls(pki: Pki): Promise<ServedTls> {
  const files = [pki.apiserver.certificate, pki.ca.certificate, pki.requestHeaderCa.certificate, pki.proxyClient.certificate]
  const [own = '', clientCa = '', proxyCa = '', proxy = ''] = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  // Each file holds a certificate and its key.
  return { tls: { key: own, cert: own, clientCa, proxyCa }, proxyClient: { key: proxy, cert: proxy } }
}

/** Dependencies of {@link keepCertificates}. */
export interface KeepOptions {
  readonly api: EmbeddedApi
  /** Client of the API server itself. */
  readonly client: Client
  readonly log: Logger
  /** Folder with all certificates of the machine. */
  readonly directory: string
  /** Folder with one folder for each node. */
  readonly nodes: string
  /** Called with the new CA bundle. */
  readonly onAuthority: (pem: string) => void
  /** Registry of expiry metrics. */
  readonly metrics: Pick<Metrics, 'gaugeFrom'>
}

/**
 * Renews the machine's certificates in time and on request, without interruption, until the signal.
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
  // The signal may abort during an await below, when no listener could be added in time.
  const stopped = aborted(signal)
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
    await Promise.race([changed.promise, stopped])
  }
}

const RETRY_MS = 10_000
const LONGEST_REST_MS = 3_600_000

/** Updates the ConfigMaps from which pods get the CA bundle. */
async function tellPods(client: Client, pem: string): Promise<void> {
  const { items } = await client.list(configMaps, { fieldSelector: 'metadata.name=kube-root-ca.crt' })
  for (const { metadata } of items) {
    const { namespace = '', name = '' } = metadata
    await client.patch(configMaps, { namespace, name }, { type: 'merge', body: { data: { 'ca.crt': pem } } })
  }
}

/** Copies of the kubeconfig remain valid as long as the old CA is trusted. */
async function rewriteKubeconfig(pki: Pki, file: string): Promise<void> {
  const server = /server: (\S+)/.exec(await readFile(file, 'utf8').catch(() => ''))?.[1]
  if (server === undefined) return
  await replaceFile(file, await renderKubeconfig({ server, caFile: pki.ca.certificate, user: 'admin', identity: pki.admin }, 'yaml'), 0o600)
}

function closing(watcher: { close(): void }): Disposable {
  return { [Symbol.dispose]: () => watcher.close() }
}
