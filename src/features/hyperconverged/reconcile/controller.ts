import type { Node } from '#api/core/v1/node.ts'
import { nodes as nodeResource } from '#api/core/v1/resources.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { componentOverrides } from '#api/steadyvm/v1alpha1/resources.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { Client } from '#client/client.ts'
import { createInformer } from '#runtime/cache/informer.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ControllerMetricsFactory } from '#runtime/controller/controller-metrics.ts'
import { createController } from '#runtime/controller/controller.ts'
import { watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { systemRandom, type Random } from '#runtime/process/random.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import { createComponentCaches } from '../components/objects/caches.ts'
import { hyperConvergedKey } from '../names.ts'
import { deschedulerKind } from '../observability/descheduler.ts'
import { defineHyperConvergedMetrics } from '../observability/metrics.ts'
import { monitoringKinds } from '../observability/monitoring.ts'
import { imageRightsKinds } from '../components/boot-images/image-rights.ts'
import { importCronKind } from '../components/boot-images/import-crons.ts'
import { observeWith } from './observe.ts'
import type { Ports } from './ports.ts'
import { createHyperConvergedReconciler } from './reconciler.ts'
import { workloadKinds } from '../components/workloads/kinds.ts'
import { clusterSettingsKind } from '../components/rendering/cluster-facts.ts'
import { components } from '../components/rendering/components.ts'
import type { UpgradeRules } from '../lifecycle/upgrade/patches/validate.ts'
import { createDryRun, type DryRun } from '../webhooks/dry-run.ts'
import type { RegistrationState } from '../webhooks/registration-state.ts'

/** Dependencies and settings of the operator. */
export interface HyperConvergedOptions {
  readonly client: Client
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: ControllerMetricsFactory
  /** Where the metrics of the platform are defined. */
  readonly registry: Pick<Metrics, 'counter' | 'gaugeFrom'>
  readonly random?: Random
  readonly version: string
  /** Settings by the names of environment variables. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly upgradeRules: UpgradeRules
  /** Default: the webhooks are registered by others. */
  readonly registration?: RegistrationState
}

/** Creates the controller of the HyperConverged object, its caches, and the dry run of edits. */
export function createHyperConvergedOperator(options: HyperConvergedOptions): {
  readonly caches: readonly Runnable[]
  readonly controller: Runnable
  readonly dryRun: DryRun
} {
  const { client, recorder, clock, log, metrics, registry, version, environment, upgradeRules, random = systemRandom } = options
  const { namespace, name } = hyperConvergedKey
  const selection = { namespace, fieldSelector: `metadata.name=${name}` }
  const hyperconverged = createInformer({ client, clock, log, resource: hyperConvergeds, selection })
  const nodes = createInformer<Node>({ client, clock, log, resource: nodeResource, transform: factsOnly })
  const overrides = createInformer({ client, clock, log, resource: componentOverrides })
  const caches = createComponentCaches({
    client,
    clock,
    log,
    kinds: [...components, importCronKind, ...imageRightsKinds, ...workloadKinds, ...monitoringKinds, deschedulerKind, clusterSettingsKind],
  })
  const ports: Ports = {
    client,
    hyperconvergeds: hyperconverged,
    overrides,
    nodes,
    caches,
    recorder,
    clock,
    log,
    random,
    version,
    namespace,
    environment,
    upgradeRules,
    isAdmissionReady: () => options.registration?.isRegistered ?? true,
  }
  const countOverwrite = defineHyperConvergedMetrics(registry, { hyperconvergeds: hyperconverged, nodes, caches, clock, environment })
  const dryRun = createDryRun({
    client,
    observe: (edited, changed) => observeWith(ports, edited, changed === undefined ? {} : { overrides: changed }),
    hyperconverged: () => hyperconverged.get(namespace, name),
    overrides: () => overrides.list(),
  })
  const wake = (): readonly (typeof hyperConvergedKey)[] => [hyperConvergedKey]
  const controller = createController({
    name: 'hyperconverged',
    reconciler: createHyperConvergedReconciler(ports, countOverwrite),
    sources: [
      watchResource(hyperconverged, wake),
      watchResource(overrides, wake),
      // Heartbeats of nodes change nothing.
      watchResource(nodes, wake, {
        predicate: (event) => event.type !== 'updated' || !deepEqual(partsOf(event.old), partsOf(event.object)),
      }),
      caches.source,
      ...(options.registration === undefined ? [] : [options.registration.source]),
    ],
    clock,
    log,
    ...(metrics === undefined ? {} : { metrics }),
  })
  return { caches: [hyperconverged, overrides, nodes, caches], controller, dryRun }
}

/** Keeps what `nodeFactsOf` reads. */
function factsOnly({ apiVersion, kind, metadata, spec, status }: Node): Node {
  const { name, uid, resourceVersion, labels } = metadata
  const architecture = status?.nodeInfo?.architecture
  return {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion, labels },
    spec: { taints: spec?.taints },
    ...(architecture === undefined ? {} : { status: { nodeInfo: { architecture } } }),
  } as Node
}

function partsOf({ metadata: { labels }, spec, status }: Node): unknown {
  return { labels, spec, status }
}
