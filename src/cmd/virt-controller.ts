import { hostname } from 'node:os'
import { componentNamespace } from '#api/access/component-users.ts'
import type { HttpTransportConfig } from '#client/node/http-config.ts'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { createNodeClient } from '#client/node/node-client.ts'
import { defineLeadership, defineReadiness, followLogVerbosity, kubeVirtsIn } from '#features/cluster-config/index.ts'
import type { UploadAddress } from '#features/storage-profile/index.ts'
import { traceMigrations } from '#features/workload-update/index.ts'
import { createVirtControllerRunnables } from '#features/virt-controller/index.ts'
import { exportServerImage, importerImage, launcherImage, thisRelease } from '#machine/release/release.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { trimIdleHeap } from '#runtime/process/idle-heap.ts'
import { createLeaderElector } from '#runtime/leader-election/elector.ts'
import { createManager } from '#runtime/manager/manager.ts'
import { createClientMetrics } from '#runtime/metrics/client-metrics.ts'
import { createControllerMetrics } from '#runtime/metrics/controller-metrics.ts'
import { whileLeading } from '#runtime/metrics/leader-metrics.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { publishedAtVariable } from '#runtime/process/platform.ts'
import { runProcess } from '#runtime/process/process.ts'
import { systemRandom } from '#runtime/process/random.ts'
import { createRecorder } from '#runtime/recorder/recorder.ts'
import { startTracing, tracing, traceExchange } from '#runtime/tracing/tracing.ts'
import { startComponentServers } from './component-servers.ts'
import { kubeconfigAt, parseFlags } from './flags.ts'
import { leaderTimes } from './leader-times.ts'
import { createProcessLog } from './process-log.ts'

// Runs the controllers of VMs, VMIs, revisions, migrations, snapshots and nodes.
const log = createProcessLog('virt-controller')

await runProcess(
  async (signal) => {
    await using _tracing = await startTracing('virt-controller', thisRelease().version, process.env)
    void trimIdleHeap({ clock: systemClock, log }, signal)
    const flags = parseFlags(process.argv.slice(2), ['kubeconfig?', 'address', 'port', 'health-port', 'launchers?'])
    const { http } = await loadKubeconfig({ ...kubeconfigAt(flags['kubeconfig?']), env: process.env })
    const metrics = createMetrics()
    using client = createNodeClient(http, { observe: createClientMetrics(metrics, http.server), trace: traceExchange })
    // The pod's name survives a container restart, so that a killed leader takes its lease back at
    // once.
    const identity = process.env['POD_NAME'] ?? hostname()
    const recorder = createRecorder({ client, component: 'virt-controller', clock: systemClock, log })
    const elector = createLeaderElector({
      client,
      namespace: componentNamespace,
      name: 'virt-controller',
      identity,
      clock: systemClock,
      log,
      ...leaderTimes,
    })
    const runnables = createVirtControllerRunnables({
      client,
      recorder,
      clock: systemClock,
      log,
      random: systemRandom,
      launcherImage: launcherImage(),
      importerImage: importerImage(),
      version: thisRelease().version,
      inContainer: flags['launchers?'] === 'containers',
      // On a machine the API server passes uploads on.
      ...(flags['launchers?'] === 'containers' ? {} : { upload: uploadAddressOf(http) }),
      exportServerImage: exportServerImage(),
      publishedAt: process.env[publishedAtVariable],
      metrics: createControllerMetrics(metrics),
      gauges: whileLeading(metrics, () => elector.isLeader),
    })
    if (tracing().isOn) traceMigrations(runnables.caches)
    const kubevirts = kubeVirtsIn(runnables.caches)
    using _verbosity = followLogVerbosity(kubevirts, log, { component: 'virtController' })
    const manager = createManager({ log, clock: systemClock, elector })
    manager.add(runnables.caches, 'caches')
    for (const controller of runnables.controllers) manager.add(controller)
    const isReady = (): boolean => elector.isLeader || elector.isStandby
    defineReadiness(metrics, 'virt-controller', isReady)
    defineLeadership(metrics, 'virt-controller', () => elector.isLeader)
    await using _servers = await startComponentServers({
      flags,
      http,
      client,
      kubevirts,
      checks: { healthz: {}, readyz: { leader: () => (isReady() ? undefined : 'no replica leads yet') } },
      metrics,
      log,
    })
    await manager.run(signal)
    await recorder.flush()
    return 0
  },
  (error) => log.error({ err: error }, 'virt-controller ended'),
)

function uploadAddressOf({ server, certificateAuthority }: HttpTransportConfig): UploadAddress {
  return { url: server, ...(certificateAuthority === undefined ? {} : { authority: certificateAuthority }) }
}
