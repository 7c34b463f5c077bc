import { networkInterfaces } from 'node:os'
import { pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { countSyncs, launcherSelector, names, podsByVmi, vmiUids } from '#features/vmi/index.ts'
import { createInformer } from '#runtime/cache/informer.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ControllerMetricsFactory } from '#runtime/controller/controller-metrics.ts'
import { createController } from '#runtime/controller/controller.ts'
import { channelSource, enqueueOwner, enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Logger } from '#runtime/process/log.ts'
import { directDialer } from '#runtime/network/network-dialer.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import { createAccessServer, type AccessSettings } from './access/access-server.ts'
import type { Guest } from './guest/guest.ts'
import { createAgentPoller } from './guest-agent/agent-poller.ts'
import { createCredentialKeeper } from './guest-agent/credentials.ts'
import { askAgent } from './guest-agent/ask-agent.ts'
import { createLoadReader } from './guest-metrics/guest-load.ts'
import { createUsageReader } from './guest-metrics/guest-usage.ts'
import { defineGuestMetrics, definePanicMetric } from './guest-metrics/guest-metrics.ts'
import { createFreezer } from './guest-agent/freeze.ts'
import { keepSerialLogsShort } from './guest/serial-log.ts'
import { GuestRegistry } from './guest/guest-registry.ts'
import { createHardwareReconciler } from './hardware/reconciler.ts'
import { createHeartbeat } from './node/heartbeat.ts'
import type { Host } from './node/host.ts'
import { defineMachineTypeMetrics } from './node/machine-type-metrics.ts'
import type { GuestIsolation } from './isolation/guest-isolation.ts'
import type { GuestNetwork } from './network/guest-network.ts'
import { launcherOf } from './network/attach-cards.ts'
import { createGuestProber } from './probes/guest-prober.ts'
import { migrationAddress } from './migration/address.ts'
import { defineMigrationMetrics } from './migration/metrics.ts'
import type { MigrationCertificates, Ports } from './guest/ports.ts'
import { createGuestReconciler } from './lifecycle/reconciler.ts'

/** Dependencies and settings of the node agent. */
export interface NodeAgentOptions {
  readonly client: Client
  readonly nodeName: string
  /** See {@link RegistryOptions.podsDirectory}. */
  readonly podsDirectory?: string
  /**
   * Short directory for unix sockets: with `/<12 characters>/guest-agent` appended at most 107
   * bytes. Nodes may share it.
   */
  readonly runDirectory: string
  /** Undefined: guests reach nothing. */
  readonly network?: GuestNetwork
  /** See {@link Ports.isolation}. */
  readonly isolation?: GuestIsolation
  readonly host: Host
  /** Host of guests in containers without /dev/kvm, on a node with KVM. Default: `host`. */
  readonly emulation?: Host
  /** Launcher image of the agent's own release, if it has one. */
  readonly launcherImage?: string
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: ControllerMetricsFactory
  /** Registry for the metrics of guests. Default: none. */
  readonly guestMetrics?: Pick<Metrics, 'gaugeFrom' | 'counterFrom' | 'collect' | 'counter'>
  /** See {@link LoadReaderOptions.balloonPeriodSeconds}. Default: the balloon does not ask. */
  readonly balloonPeriodSeconds?: () => number
  /** The agent's own address. Default: loopback. */
  readonly address?: string
  /**
   * Listen address for incoming migrations. Default: the migration network's address, else
   * `address`.
   */
  readonly migrationAddress?: string
  /** Without them migration streams are not encrypted. */
  readonly migrationCertificates?: MigrationCertificates
  /** Without them consoles and displays are not served. */
  readonly access?: AccessSettings
  /** Guests reconciled in parallel. Default 8. */
  readonly concurrency?: number
  /** Milliseconds that a guest runs before its hardware is recorded. Default 3,000. */
  readonly hardwareQuietMs?: number
}

/**
 * Creates virt-handler's main component. It starts and ends the guests of one node and reports
 * their status. Guests survive its restart.
 */
export function createNodeAgent(options: NodeAgentOptions): Runnable {
  return { run: (signal) => runNodeAgent(options, signal) }
}

async function runNodeAgent(options: NodeAgentOptions, signal: AbortSignal): Promise<void> {
  const { client, nodeName, clock, log, metrics } = options
  const vmis = createInformer({
    client,
    resource: virtualMachineInstances,
    selection: { labelSelector: `${names.nodeNameLabel}=${nodeName}` },
    clock,
    log,
  })
  const coming = createInformer({
    client,
    resource: virtualMachineInstances,
    selection: { labelSelector: `${names.migrationTargetLabel}=${nodeName}` },
    clock,
    log,
  })
  const launchers = createInformer({
    client,
    resource: pods,
    selection: { labelSelector: launcherSelector, fieldSelector: `spec.nodeName=${nodeName}` },
    clock,
    log,
  })
  launchers.addIndex(podsByVmi, vmiUids)
  const changes = channelSource()
  using guests = new GuestRegistry(options, (request) => changes.enqueue(request))
  const { guestMetrics, balloonPeriodSeconds = () => 0 } = options
  const loads = createLoadReader({ balloonPeriodSeconds, clock })
  if (guestMetrics !== undefined) {
    defineMigrationMetrics(guestMetrics, { nodeName, guests: () => guests.all() })
    defineMachineTypeMetrics(guestMetrics, options)
    defineGuestMetrics(guestMetrics, { vmis, guests, nodeName, network: options.network, loads, clock, log })
  }
  const found = await guests.discover()
  using network = options.network
  await network?.resume(await Promise.all([...guests.all()].map(({ guest }) => launcherOf(guest))))
  log.info({ guests: found.length, node: nodeName }, 'Node agent starts')
  const { address = '127.0.0.1', migrationAddress: chosen } = options
  const addresses = { pod: address, ...(chosen === undefined ? {} : { chosen }) }
  using agents = createAgentPoller(clock)
  using credentials = createCredentialKeeper({ clock, host: options.host })
  using prober = createGuestProber({ clock, ask: askAgent })
  using freezer = createFreezer({ guests, clock, log })
  const ports: Ports = {
    ...options,
    vmis,
    incomingVmis: coming,
    pods: launchers,
    guests,
    migrationAddress: (network) => migrationAddress({ ...addresses, interfaces: networkInterfaces() }, network),
    migrationCertificates: options.migrationCertificates,
    agents,
    credentials,
    prober,
    freezer,
    onPanic: guestMetrics === undefined ? undefined : definePanicMetric(guestMetrics),
  }
  const isHere = (namespace: string, name: string): boolean => (vmis.get(namespace, name) ?? coming.get(namespace, name)) !== undefined
  const controller = createController({
    name: 'guest',
    reconciler: countSyncs(guestMetrics, isHere, createGuestReconciler(ports)),
    sources: [
      watchResource(vmis, enqueueSelf),
      watchResource(coming, enqueueSelf),
      watchResource(launchers, enqueueOwner({ group: 'kubevirt.io', kind: 'VirtualMachineInstance' })),
      changes,
    ],
    concurrency: options.concurrency ?? 8,
    clock,
    log,
    ...(metrics === undefined ? {} : { metrics }),
  })
  const hardware = createController({
    name: 'guest-hardware',
    reconciler: createHardwareReconciler(ports, options.hardwareQuietMs ?? 3_000),
    sources: [watchResource(vmis, enqueueSelf)],
    // Hardware records must not slow down starts.
    concurrency: 1,
    clock,
    log,
    ...(metrics === undefined ? {} : { metrics }),
  })
  const addressOf = ({ podUid }: Guest): string | undefined =>
    network?.addressOf(launchers.list().find(({ metadata }) => metadata.uid === podUid))
  const dialer = network?.dialer ?? directDialer
  await freezer.resume()
  const usageOf = createUsageReader({ vmis, network, loads, clock })
  const access =
    options.access === undefined
      ? []
      : [createAccessServer({ ...options.access, guests, addressOf, dialer, freezer, usageOf, log }).run(signal)]
  await Promise.all([
    ...access,
    hardware.run(signal),
    keepSerialLogsShort({ guests, host: options.host, clock }, signal),
    vmis.run(signal),
    coming.run(signal),
    launchers.run(signal),
    controller.run(signal),
    createHeartbeat({ ...options, guests: () => guests.countAnswering() }).run(signal),
  ])
}
