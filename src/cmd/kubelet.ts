import { componentNamespace } from '#api/access/component-users.ts'
import {
  cannotIsolate,
  createImagePuller,
  createKubelet,
  createPodNetwork,
  createPodUsers,
  defaultDiskThresholds,
  type ImageResolver,
  readFileSystemUse,
  readMachineFacts,
} from '#cluster/kubelet/index.ts'
import { createNodeClient } from '#client/node/node-client.ts'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { readConfig } from '#machine/home/config.ts'
import { dataDirectory, defaultRoot } from '#machine/home/data-directory.ts'
import { podNetworkPlace } from '#machine/network/pod-network.ts'
import { ImageNotFound, namesRegistry, resolveImage } from '#machine/release/image-store.ts'
import { thisRelease } from '#machine/release/release.ts'
import { isSupervisorRunning, startSupervisor } from '#machine/supervisor/supervisor.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { ControlGroupsUnavailable, openControlGroups, type ControlGroups } from '#runtime/isolation/control-groups.ts'
import { trimIdleHeap } from '#runtime/process/idle-heap.ts'
import { runProcess } from '#runtime/process/process.ts'
import { createRecorder } from '#runtime/recorder/recorder.ts'
import { parseFlags } from './flags.ts'
import { createProcessLog } from './process-log.ts'

// Runs the pods of one logical node as processes of this machine.
const log = createProcessLog('kubelet')

/** Guests share the machine's CPUs, and pods request a tenth of their vCPUs. */
const CPU_OVERCOMMIT = 32
/** Pods of these namespaces are parts of the system and run as the kubelet's user. */
const systemNamespaces = ['kube-system', componentNamespace]
const PODS_PER_NODE = '500'
const SUPERVISOR_CHECK_MS = 2_000

await runProcess(
  async (signal) => {
    void trimIdleHeap({ clock: systemClock, log }, signal)
    const { node } = parseFlags(process.argv.slice(2), ['node'])
    const directory = dataDirectory(defaultRoot(process.env))
    const release = thisRelease()
    const config = await readConfig(directory)
    const machine = readMachineFacts()
    const { http } = await loadKubeconfig({ path: directory.node(node).kubeconfig, env: {} })
    using client = createNodeClient(http)
    const recorder = createRecorder({ client, component: 'kubelet', host: node, clock: systemClock, log })
    using _watch = watchSupervisor({
      isRunning: () => isSupervisorRunning(directory.node(node)),
      restart: () => startSupervisor({ directory, release, node, adopt: process.pid }),
    })
    const noIsolation = cannotIsolate()
    if (noIsolation !== undefined) log.warn({ reason: noIsolation }, 'pods run as the user of this kubelet and can read its files')
    const users = { client, clock: systemClock, home: directory.root, ranges: directory.userRanges, systemNamespaces }
    const groups = openGroups(directory.node(node).controlGroup)
    const puller = createImagePuller({
      folder: directory.pulledImages,
      node,
      registries: directory.registries,
      path: process.env['PATH'] ?? '/usr/bin:/bin',
      clock: systemClock,
      signal,
    })
    /** An image that the user has put into the store is never pulled. */
    const imageOf: ImageResolver = async (reference, user) => {
      try {
        return await resolveImage(directory, release, reference)
      } catch (error) {
        if (!(error instanceof ImageNotFound) || user === undefined || !namesRegistry(reference)) throw error
        return puller.pull(reference, user)
      }
    }
    const kubelet = createKubelet({
      client,
      ...(config?.diskThresholds === undefined ? {} : { diskThresholds: { ...defaultDiskThresholds, ...config.diskThresholds } }),
      ...(noIsolation === undefined ? { users: createPodUsers(users) } : {}),
      ...(groups === undefined ? {} : { groups }),
      nodeName: node,
      ...(config?.podNetwork === undefined
        ? {}
        : {
            network: createPodNetwork({
              ...podNetworkPlace(directory.root, config.podNetwork),
              addresses: directory.addresses,
              clock: systemClock,
            }),
          }),
      dataDirectory: directory.node(node).root,
      resolveImage: imageOf,
      clock: systemClock,
      log,
      environment: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: process.env['HOME'] ?? '/', ...apiVariables(http.server) },
      version: `v1.33.0+steadyvm-${release.version}`,
      machine,
      // Objects of a list have no kind.
      onEvent: (pod, type, reason, message) => recorder.event({ ...pod, apiVersion: 'v1', kind: 'Pod' }, type, reason, message),
      capacity: {
        cpu: String(machine.cpus * CPU_OVERCOMMIT),
        memory: `${Math.floor(machine.memoryBytes / 1024 / (config?.nodes.length ?? 1))}Ki`,
        pods: PODS_PER_NODE,
        'ephemeral-storage': `${Math.floor((await readFileSystemUse(directory.root)).availableBytes / 1024)}Ki`,
      },
    })
    await kubelet.run(signal)
    return 0
  },
  (error) => log.error({ err: error }, 'kubelet ended'),
)

/** Opens the control groups of a node; undefined where pods cannot be limited. */
function openGroups(folder: string): ControlGroups | undefined {
  try {
    return openControlGroups(folder)
  } catch (error) {
    if (!(error instanceof ControlGroupsUnavailable)) throw error
    log.warn({ reason: error.message }, 'limits of pods have no effect')
    return undefined
  }
}

/**
 * Variables by which clients in pods find the API. Without a kube-proxy, they hold the real address
 * and not that of the service `kubernetes`.
 */
function apiVariables(server: string): Record<string, string> {
  const { hostname, port } = new URL(server)
  return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, KUBERNETES_SERVICE_PORT_HTTPS: port }
}

/**
 * Starts a new supervisor when the current one was killed; otherwise the supervisor restarts this
 * process. The new one is not the parent, so its pid file identifies it.
 */
function watchSupervisor({ isRunning, restart }: { isRunning: () => boolean; restart: () => void }): Disposable {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent || isRunning()) return
    log.warn({}, 'the supervisor is gone, starting a new one')
    restart()
  }, SUPERVISOR_CHECK_MS)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
