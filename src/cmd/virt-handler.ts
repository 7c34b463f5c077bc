import { join } from 'node:path'
import type { ObjectKey } from '#apimachinery/meta/resource-type.ts'
import { componentNamespace } from '#api/access/component-users.ts'
import type { NetworkAttachmentDefinition } from '#api/k8s-cni-cncf/v1/network-attachment-definition.ts'
import { networkAttachmentDefinitions } from '#api/k8s-cni-cncf/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { createNodeClient } from '#client/node/node-client.ts'
import { handoverDriver } from '#api/steadyvm/v1alpha1/handover-driver.ts'
import { certificateNames, createServingSource } from '#features/certificates/index.ts'
import { balloonPeriodSeconds, defineReadiness, defineVersion, followLogVerbosity, kubeVirtsIn } from '#features/cluster-config/index.ts'
import { agentPort } from '#features/guest-access/index.ts'
import { launcherUser, namespaceCommand } from '#features/launcher/index.ts'
import {
  createGuestIsolation,
  createLauncherNetwork,
  createMachineNetwork,
  createNodeAgent,
  type GuestIsolation,
  type GuestNetwork,
  type Host,
} from '#features/node-agent/index.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { dataDirectory, defaultRoot } from '#machine/home/data-directory.ts'
import { devicePluginFolder } from '#machine/control-plane/platform.ts'
import { launcherImage, thisRelease } from '#machine/release/release.ts'
import { chooseAccelerator, findFirmware, findProgram, findQemu, findQemuIn, inspectHost, queryCapabilities } from '#qemu/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { cannotChangeUser } from '#runtime/isolation/process-user.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { trimIdleHeap } from '#runtime/process/idle-heap.ts'
import { createManager } from '#runtime/manager/manager.ts'
import { createClientMetrics } from '#runtime/metrics/client-metrics.ts'
import { createControllerMetrics } from '#runtime/metrics/controller-metrics.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { runProcess } from '#runtime/process/process.ts'
import { createRecorder } from '#runtime/recorder/recorder.ts'
import { startTracing, traceExchange } from '#runtime/tracing/tracing.ts'
import { startComponentServers } from './component-servers.ts'
import { kubeconfigAt, parseFlags } from './flags.ts'
import { createProcessLog } from './process-log.ts'

// The node agent: starts and stops the guests of one node over QMP and reports their status.
const log = createProcessLog('virt-handler')

await runProcess(
  async (signal) => {
    await using _tracing = await startTracing('virt-handler', thisRelease().version, process.env)
    void trimIdleHeap({ clock: systemClock, log }, signal)
    const flags = parseFlags(process.argv.slice(2), [
      'kubeconfig?',
      'node',
      'pods?',
      'kubelet-root?',
      'run',
      'cache',
      'pod-network?',
      'network-addresses?',
      'address',
      'port',
      'health-port',
      'accelerator?',
      'migration-address?',
      'migration-certificates?',
      'migration-name?',
    ])
    const [directory, name] = [flags['migration-certificates?'], flags['migration-name?']]
    const migrationAddress = flags['migration-address?']
    const { http } = await loadKubeconfig({ ...kubeconfigAt(flags['kubeconfig?']), env: process.env })
    const metrics = createMetrics()
    using client = createNodeClient(http, { observe: createClientMetrics(metrics, http.server), trace: traceExchange })
    const recorder = createRecorder({ client, component: 'virt-handler', host: flags.node, clock: systemClock, log })
    const kubeletRoot = flags['kubelet-root?']
    const podNetwork = flags['pod-network?']
    const host = await findHost(flags['accelerator?'], flags.cache)
    const network = guestNetworkOf(client, { kubeletRoot, podNetwork, addresses: flags['network-addresses?'], nodeName: flags.node })
    // A launcher in a container may have no /dev/kvm on a node that has it.
    const mayEmulate = kubeletRoot !== '' && host.accelerator === 'kvm'
    const isolation = kubeletRoot === '' ? guestIsolationOf(host) : undefined
    log.info({ reason: host.acceleratorReason, qemu: host.qemuBinary }, 'this node runs guests')
    const informers = createInformerSet({ client, clock: systemClock, log })
    const kubevirts = kubeVirtsIn(informers)
    const certificates = createServingSource(informers, componentNamespace, {
      serving: certificateNames.migrationServer,
      authority: certificateNames.authority,
    })
    const agent = createNodeAgent({
      client,
      nodeName: flags.node,
      ...(flags['pods?'] === '' ? {} : { podsDirectory: flags['pods?'] }),
      runDirectory: flags.run,
      host,
      ...(network === undefined ? {} : { network }),
      ...(isolation === undefined ? {} : { isolation }),
      ...(mayEmulate ? { emulation: await findHost('tcg', flags.cache) } : {}),
      launcherImage: launcherImage(),
      recorder,
      clock: systemClock,
      log,
      metrics: createControllerMetrics(metrics),
      guestMetrics: metrics,
      balloonPeriodSeconds: () => balloonPeriodSeconds(kubevirts),
      address: flags.address,
      access: { address: flags.address, port: agentPort, certificates },
      ...(migrationAddress === '' ? {} : { migrationAddress }),
      ...(directory === '' ? {} : { migrationCertificates: { directory, ...(name === '' ? {} : { name }) } }),
    })
    using _verbosity = followLogVerbosity(kubevirts, log, { component: 'virtHandler', node: flags.node })
    const manager = createManager({ log, clock: systemClock })
    manager.add(informers, 'caches')
    manager.add(agent, 'servers')
    if (kubeletRoot !== '') for (const plugin of await createKubeletPlugins(flags, host)) manager.add(plugin, 'servers')
    defineReadiness(metrics, 'virt-handler', () => informers.hasSynced)
    defineVersion(metrics, { version: thisRelease().version, runtime: `node${process.versions.node}` })
    await using _servers = await startComponentServers({
      flags,
      http,
      client,
      kubevirts,
      checks: { healthz: {}, readyz: {} },
      metrics,
      log,
    })
    await manager.run(signal)
    await recorder.flush()
    return 0
  },
  (error) => log.error({ err: error }, 'virt-handler ended'),
)

/** Returns the isolation of guests in machine mode, where this process is able to isolate them. */
function guestIsolationOf(host: Host): GuestIsolation | undefined {
  const obstacle = cannotChangeUser(namespaceCommand)
  if (obstacle === undefined) {
    const { root, userRanges, guestUsers } = dataDirectory(defaultRoot(process.env))
    return createGuestIsolation({ home: root, ranges: userRanges, users: guestUsers, host })
  }
  log.warn({ reason: obstacle }, 'QEMU runs as the user of this process: a guest that escapes from it has the rights of that user')
  return undefined
}

/** Returns the network of machine mode, or of launchers in pods of a cluster. */
function guestNetworkOf(
  client: Client,
  place: { readonly kubeletRoot: string; readonly podNetwork: string; readonly addresses: string; readonly nodeName: string },
): GuestNetwork | undefined {
  const { kubeletRoot, podNetwork: directory, addresses, nodeName } = place
  if (directory !== '') {
    const definition = (key: ObjectKey): Promise<NetworkAttachmentDefinition | undefined> =>
      found(client.get(networkAttachmentDefinitions, key))
    return createMachineNetwork({ directory, addresses, nodeName, clock: systemClock, definition })
  }
  return kubeletRoot === '' ? undefined : createLauncherNetwork({ user: launcherUser, clock: systemClock, log })
}

/**
 * Hands directories and devices to launchers in containers. Imported late: machine mode does not
 * need gRPC.
 */
async function createKubeletPlugins(
  flags: { readonly node: string; readonly run: string; readonly 'kubelet-root?': string },
  host: Host,
): Promise<Runnable[]> {
  const { createHandoverDriver } = await import('#features/node-agent/kubelet-plugins/csi-driver.ts')
  const { createDevicePlugin, sharedDevices } = await import('#features/node-agent/kubelet-plugins/device-plugin.ts')
  const root = flags['kubelet-root?']
  return [
    createHandoverDriver({
      nodeName: flags.node,
      version: thisRelease().version,
      runDirectory: flags.run,
      pluginDirectory: join(root, 'plugins', handoverDriver),
      registryDirectory: join(root, 'plugins_registry'),
      launcherUser,
      clock: systemClock,
      log,
    }),
    ...sharedDevices(host).map((device) => createDevicePlugin({ device, directory: devicePluginFolder, clock: systemClock, log })),
  ]
}

/**
 * Finds the release's QEMU, or the one on PATH, and queries its features. @throws QemuUnavailable
 */
async function findHost(override: string, cache: string): Promise<Host> {
  const { qemu: qemuFolder } = thisRelease()
  const { accelerator, reason } = chooseAccelerator(inspectHost(), override === '' ? undefined : override)
  const [qemuBinary, firmware, tpmEmulator] = await Promise.all([
    qemuFolder === undefined ? findQemu(process.env['PATH']) : findQemuIn(qemuFolder),
    findFirmware(),
    findProgram('swtpm', process.env['PATH']),
  ])
  const capabilities = await queryCapabilities(qemuBinary, accelerator, join(cache, 'qemu-capabilities.json'))
  return { ...capabilities, accelerator, acceleratorReason: reason, qemuBinary, firmware, tpmEmulator }
}
