import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { versionInfo } from '#apiserver/discovery/version.ts'
import { type EmbeddedApi, startEmbeddedApi } from '#apiserver/embedded-api.ts'
import { openRemoteLog } from '#cluster/kubelet/logs/log-client.ts'
import { createStreamClient } from '#cluster/kubelet/streams/stream-client.ts'
import { ensureAddons } from '#machine/control-plane/addons.ts'
import { ensureOperator } from '#machine/control-plane/operator-deployment.ts'
import { findAuthority, pkiPaths } from '#machine/pki/pki.ts'
import { thisRelease } from '#machine/release/release.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { runProcess } from '#runtime/process/process.ts'
import { systemRandom } from '#runtime/process/random.ts'
import { auditFlags, openProcessAudit } from './audit-log.ts'
import { parseFlags } from './flags.ts'
import { keepCertificates, readTls } from './keep-certificates.ts'
import { podConnectorOf } from './pod-connector.ts'
import { createProcessLog } from './process-log.ts'
import { publishedServers } from './published-servers.ts'
import { createRequestMetrics, reportSeats } from './request-metrics.ts'

// The embedded API server with the workload controllers of machine mode, which call it in-process.
const log = createProcessLog('apiserver')

await runProcess(
  async (signal) => {
    const flags = parseFlags(process.argv.slice(2), [
      'database',
      'port',
      'pki',
      'nodes?',
      'volumes?',
      'pod-network?',
      'monitoring?',
      'operator-manifest?',
      'platform?',
      ...auditFlags,
    ])
    const release = thisRelease()
    const pki = pkiPaths(flags.pki)
    const [{ tls, proxyClient }, signing] = await Promise.all([readTls(pki), readFile(pki.serviceAccountKey, 'utf8')])
    let clusterCa = tls.clientCa
    const { metrics, observe } = createRequestMetrics()
    const kubeletSocket = (node: string): string => join(flags['nodes?'], node, 'kubelet.sock')
    await using audit = await openProcessAudit(flags, () => systemClock.now(), log)
    await using api: EmbeddedApi = await startEmbeddedApi({
      database: flags.database,
      hasControllers: true,
      hasPodNetwork: flags['pod-network?'] !== '',
      port: Number(flags.port),
      tls,
      accountKeys: { signing },
      proxyClient,
      version: versionInfo(release.version, { commit: '', date: '', platform: 'linux/amd64' }),
      now: () => systemClock.now(),
      random: systemRandom,
      log,
      metrics,
      observe,
      ...(audit.auditor === undefined ? {} : { audit: audit.auditor }),
      ...(flags['nodes?'] === ''
        ? {}
        : { logs: (request, end) => openRemoteLog(kubeletSocket, request, end), streams: createStreamClient(kubeletSocket) }),
      ...podConnectorOf(flags['pod-network?']),
      published: publishedServers(() => api),
    })
    reportSeats(metrics, api.flows)
    const client = api.client({ username: 'system:apiserver', groups: ['system:masters'] })
    await api.startup.run('addons', async () => {
      const platform = flags['platform?'] === 'hyperconverged' ? 'hyperconverged' : 'kubevirt'
      await ensureAddons(client, join(release.root, 'manifests'), platform)
      if (flags['operator-manifest?'] !== '') await ensureOperator(client, flags['operator-manifest?'])
    })
    log.info({ port: api.server.port }, 'ready')

    // Imported late: controllers are most of this program, and the API is ready without them.
    const { runClusterControllers } = await import('./cluster-controllers.ts')
    const certificates = {
      api,
      client,
      log,
      directory: flags.pki,
      nodes: flags['nodes?'],
      onAuthority: (pem: string) => void (clusterCa = pem),
      metrics,
    }
    await Promise.all([
      runClusterControllers(
        {
          api,
          client,
          clusterCa: () => clusterCa,
          signingAuthority: () => findAuthority(pki.ca),
          volumes: flags['volumes?'],
          podNetwork: flags['pod-network?'],
          monitoring: flags['monitoring?'],
          metrics,
          log,
        },
        signal,
      ),
      keepCertificates(certificates, signal),
    ])
    return 0
  },
  (error) => log.error({ err: error }, 'the API server ended'),
)
