import { hostname } from 'node:os'
import { componentNamespace } from '#api/access/component-users.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { createNodeClient } from '#client/node/node-client.ts'
import { createCertificates } from '#features/certificates/index.ts'
import { defineEmulation, defineLeadership, defineReadiness, followLogVerbosity } from '#features/cluster-config/index.ts'
import { createOperator, unbundledManifests } from '#features/operator/index.ts'
import { clusterPlatform, readPlatform } from '#machine/control-plane/platform.ts'
import { createContentsReader } from '#machine/release/release-contents.ts'
import { REGISTRY, thisRelease } from '#machine/release/release.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { trimIdleHeap } from '#runtime/process/idle-heap.ts'
import { createLeaderElector } from '#runtime/leader-election/elector.ts'
import { createManager } from '#runtime/manager/manager.ts'
import { createClientMetrics } from '#runtime/metrics/client-metrics.ts'
import { createControllerMetrics } from '#runtime/metrics/controller-metrics.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { runProcess } from '#runtime/process/process.ts'
import { createRecorder } from '#runtime/recorder/recorder.ts'
import { tracingEnvironment } from '#runtime/tracing/environment.ts'
import { startTracing, traceExchange } from '#runtime/tracing/tracing.ts'
import { startComponentServers } from './component-servers.ts'
import { kubeconfigAt, parseFlags } from './flags.ts'
import { leaderTimes } from './leader-times.ts'
import { createProcessLog } from './process-log.ts'

// Installs and upgrades all other components.
const log = createProcessLog('virt-operator')

await runProcess(
  async (signal) => {
    await using _tracing = await startTracing('virt-operator', thisRelease().version, process.env)
    void trimIdleHeap({ clock: systemClock, log }, signal)
    const flags = parseFlags(process.argv.slice(2), [
      'kubeconfig?',
      'address',
      'port',
      'health-port',
      'platform?',
      'releases?',
      'kubelet-root?',
      'olm?',
      'registry?',
    ])
    const [{ http }, place] = await Promise.all([
      loadKubeconfig({ ...kubeconfigAt(flags['kubeconfig?']), env: process.env }),
      flags['platform?'] === '' ? clusterPlatform(flags['kubelet-root?'] || undefined) : readPlatform(flags['platform?']),
    ])
    // Components are traced as this process is.
    const platform = { ...place, environment: { ...place.environment, ...tracingEnvironment(process.env) } }
    const metrics = createMetrics()
    using client = createNodeClient(http, { observe: createClientMetrics(metrics, http.server), trace: traceExchange })
    const controllerMetrics = createControllerMetrics(metrics)
    const recorder = createRecorder({ client, component: 'virt-operator', clock: systemClock, log })
    const elector = createLeaderElector({
      client,
      namespace: componentNamespace,
      name: 'virt-operator',
      identity: process.env['POD_NAME'] ?? hostname(),
      clock: systemClock,
      log,
      ...leaderTimes,
    })
    const own = { version: thisRelease().version, registry: flags['registry?'] || REGISTRY }
    const runbookTemplate = process.env['RUNBOOK_URL_TEMPLATE']
    const operator = createOperator({
      client,
      recorder,
      clock: systemClock,
      log,
      platform,
      own,
      contents: createContentsReader(thisRelease(), flags['releases?']),
      preflight: [
        async ({ kubevirt, to }, { signal }) => {
          // Imported late: only upgrades need it.
          const { runOperatorPreflight } = await import('#cli/upgrade/operator-preflight.ts')
          const path = process.env['PATH']
          return runOperatorPreflight(client, {
            to,
            kubevirt,
            releases: flags['releases?'],
            path,
            platform,
            nowMs: systemClock.now(),
            signal,
          })
        },
      ],
      unbundled: flags['olm?'] === 'true' ? await unbundledObjects() : [],
      metrics: controllerMetrics,
      gauges: metrics,
      ...(runbookTemplate === undefined ? {} : { runbookTemplate }),
    })
    const certificates = createCertificates({
      client,
      clock: systemClock,
      log,
      metrics: controllerMetrics,
      gauges: metrics,
      hasMigration: platform.hasMigrationSecrets === true,
    })
    const kubevirts = operator.kubevirts
    using _verbosity = followLogVerbosity(kubevirts, log, { component: 'virtOperator' })
    const manager = createManager({ log, clock: systemClock, elector })
    manager.add(operator.caches, 'caches')
    manager.add(certificates.caches, 'caches')
    manager.add(operator.controller)
    manager.add(operator.guard)
    manager.add(certificates.controller)
    const isReady = (): boolean => elector.isLeader || elector.isStandby
    defineReadiness(metrics, 'virt-operator', isReady)
    defineLeadership(metrics, 'virt-operator', () => elector.isLeader)
    defineEmulation(metrics, kubevirts, () => elector.isLeader)
    await using _servers = await startComponentServers({
      flags,
      http,
      client,
      kubevirts,
      checks: { healthz: {}, readyz: { leader: () => (isReady() ? undefined : 'no replica leads yet') } },
      metrics,
      log,
      source: certificates.own,
    })
    await manager.run(signal)
    await recorder.flush()
    return 0
  },
  (error) => log.error({ err: error }, 'virt-operator ended'),
)

/**
 * Returns what the bundle cannot contain, of both operators. Imported late: it is needed only where
 * OLM has installed virt-operator.
 */
async function unbundledObjects(): Promise<readonly KubeObject[]> {
  const { hyperConvergedPolicies } = await import('#features/hyperconverged/index.ts')
  return [...unbundledManifests(componentNamespace), ...hyperConvergedPolicies]
}
