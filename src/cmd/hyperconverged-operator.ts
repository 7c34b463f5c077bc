import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { componentNamespace } from '#api/access/component-users.ts'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { createNodeClient } from '#client/node/node-client.ts'
import { createServerCertificates } from '#features/certificates/index.ts'
import {
  createHyperConvergedOperator,
  createRegistrationState,
  createWebhookServer,
  operatorCertificatePlan,
  operatorName,
  readSettings,
  readUpgradeRules,
  renderPlatform,
  type PlatformObjects,
} from '#features/hyperconverged/index.ts'
import { RELEASE_CONTENTS } from '#machine/release/release-contents.ts'
import { thisRelease } from '#machine/release/release.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { answerHealth, startHealthServer, type HealthServerOptions } from '#runtime/health/health-server.ts'
import { createLeaderElector } from '#runtime/leader-election/elector.ts'
import { createManager } from '#runtime/manager/manager.ts'
import { createClientMetrics } from '#runtime/metrics/client-metrics.ts'
import { createControllerMetrics } from '#runtime/metrics/controller-metrics.ts'
import { createMetricsAccess } from '#runtime/metrics/metrics-access.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { createWebhookMetrics } from '#runtime/metrics/webhook-metrics.ts'
import { trimIdleHeap } from '#runtime/process/idle-heap.ts'
import { runProcess } from '#runtime/process/process.ts'
import { startTracing, traceExchange } from '#runtime/tracing/tracing.ts'
import { createRecorder } from '#runtime/recorder/recorder.ts'
import { healthAddress, kubeconfigAt, parseFlags } from './flags.ts'
import { leaderTimes } from './leader-times.ts'
import { createProcessLog } from './process-log.ts'

// Configures all components from the HyperConverged object, and serves its webhooks.
const log = createProcessLog(operatorName)

await runProcess(
  async (signal) => {
    // The check before an upgrade asks a release how it renders the components.
    if (process.argv[2] === '--render') return renderFromInput()
    await using _tracing = await startTracing('hyperconverged-operator', thisRelease().version, process.env)
    void trimIdleHeap({ clock: systemClock, log }, signal)
    const flags = parseFlags(process.argv.slice(2), ['kubeconfig?', 'address', 'port', 'health-port'])
    const { http } = await loadKubeconfig({ ...kubeconfigAt(flags['kubeconfig?']), env: process.env })
    const metrics = createMetrics()
    using client = createNodeClient(http, { observe: createClientMetrics(metrics, http.server), trace: traceExchange })
    const controllerMetrics = createControllerMetrics(metrics)
    const recorder = createRecorder({ client, component: operatorName, clock: systemClock, log })
    const elector = createLeaderElector({
      client,
      namespace: componentNamespace,
      name: operatorName,
      identity: process.env['POD_NAME'] ?? hostname(),
      clock: systemClock,
      log,
      ...leaderTimes,
    })
    const { version, root } = thisRelease()
    const upgradePatches = process.env['UPGRADE_PATCHES_FILE'] ?? join(root, RELEASE_CONTENTS.upgradePatches)
    const text = await readFile(upgradePatches, 'utf8').catch((error: unknown) => {
      log.error({ err: error, file: upgradePatches }, 'The upgrade patches cannot be read')
      return undefined
    })
    const upgradeRules = readUpgradeRules(text, version)
    const shared = { client, clock: systemClock, log, metrics: controllerMetrics }
    const environment = await readSettings(process.env)
    const registration = createRegistrationState()
    const operator = createHyperConvergedOperator({
      ...shared,
      registry: metrics,
      recorder,
      version,
      environment,
      upgradeRules,
      registration,
    })
    const certificates = createServerCertificates({ ...shared, namespace: componentNamespace, plan: operatorCertificatePlan })
    const webhooks = createWebhookServer({
      client,
      clock: systemClock,
      log,
      host: flags.address,
      port: Number(flags.port),
      dryRun: operator.dryRun,
      registration,
      observe: createWebhookMetrics(metrics),
      // Metrics over HTTPS: the token of a scrape is for no one else.
      endpoints: (request, response) => answerHealth(health, request, response),
    })
    const health: HealthServerOptions = {
      address: healthAddress(flags),
      checks: {
        healthz: {},
        readyz: { webhooks: () => (webhooks.isServing ? undefined : 'there is no certificate for the webhooks yet') },
      },
      metrics,
      metricsAccess: createMetricsAccess({ client, clock: systemClock }),
    }
    const manager = createManager({ log, clock: systemClock, elector })
    for (const caches of [...operator.caches, certificates.caches]) manager.add(caches, 'caches')
    manager.add(webhooks, 'servers')
    manager.add(certificates.controller)
    manager.add(operator.controller)
    // Without metrics: this server has no certificate.
    await using _health = await startHealthServer({ address: health.address, checks: health.checks })
    await manager.run(signal)
    await recorder.flush()
    return 0
  },
  (error) => log.error({ err: error }, `${operatorName} ended`),
)

/** Reads stored objects as JSON, and writes the components that this release renders from them. */
async function renderFromInput(): Promise<number> {
  const objects = (await json(process.stdin)) as PlatformObjects
  const text = JSON.stringify(renderPlatform(objects, thisRelease().version))
  await new Promise((written) => process.stdout.write(text, written))
  return 0
}
