import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { pods } from '#api/core/v1/resources.ts'
import type { Pod, PodStatus } from '#api/core/v1/pod.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import { hostPortsConflict } from '#cluster/scheduler/host-ports.ts'
import { createInformer } from '#runtime/cache/informer.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ControlGroups } from '#runtime/isolation/control-groups.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { defaultDiskThresholds, type DiskThresholds, type FileSystemUse, readFileSystemUse } from './node/disk-pressure.ts'
import { type MachineFacts, readMachineFacts } from './node/machine-facts.ts'
import { createNodeRegistration } from './node/node-registration.ts'
import { rotateLog } from './logs/rotate-log.ts'
import type { PodUsers } from './isolation/pod-users.ts'
import { removeGroups } from './limits/remove-groups.ts'
import type { PodNetwork } from './network/pod-network.ts'
import type { ImageResolver } from './options.ts'
import { createApiConfigurationSource } from './environment/api-configuration-source.ts'
import { createCachedConfigurationSource } from './environment/cached-configuration-source.ts'
import { podDirectory } from './pod/pod-directory.ts'
import { createPodWorker, type PodWorker, type PodWorkerPorts } from './pod/pod-worker.ts'
import { loadPod } from './pod/saved-pod.ts'
import { createStatusReporter, type StatusReporter } from './pod/status-reporter.ts'
import { runKubeletServer } from './server/kubelet-server.ts'
import { createExitWatch } from './process/exit-watch.ts'
import { killOrphanedProcesses } from './process/orphaned-processes.ts'
import { readBootId } from './process/process-identity.ts'
import { openManifestDirectory } from './static-pods/manifest-directory.ts'
import { createTokenSource } from './volumes/service-account-token.ts'
import { isMirror, mirrors, planMirrors, takeMirrorStep } from './static-pods/mirror-pods.ts'

/** Dependencies and settings of a kubelet. */
export interface KubeletOptions {
  readonly client: Client
  readonly nodeName: string
  /**
   * Home of this node: `manifests/` and `pods/` lie in it. Paths in it may be handed to programs
   * with short limits: keep it short.
   */
  readonly dataDirectory: string
  readonly resolveImage: ImageResolver
  readonly clock: Clock
  readonly log: Logger
  /**
   * PATH, HOME and what else every container shall get. Nothing else of this process is inherited.
   */
  readonly environment: Readonly<Record<string, string>>
  /** Version in the node object. */
  readonly version: string
  /** Address of the node and of all its pods, which share its network. Default `127.0.0.1`. */
  readonly address?: string
  /**
   * Added to, or in place of, what the machine has: `{ memory: '4Gi', 'devices.kubevirt.io/kvm':
   * '1000' }`.
   */
  readonly capacity?: Readonly<Record<string, string>>
  readonly labels?: Readonly<Record<string, string>>
  /** Default: read from this machine. */
  readonly machine?: MachineFacts
  /** Default: 10 % or 2 GiB available, whichever is less, and 5 % of the inodes. */
  readonly diskThresholds?: DiskThresholds
  /** Default: what statfs(2) says of the data directory. */
  readonly readDisk?: () => Promise<FileSystemUse>
  /** Unix users of pods. Default: all run as this process does. */
  readonly users?: PodUsers
  /** Control groups of this node. Default: containers are not limited. */
  readonly groups?: ControlGroups
  /** Network of the pods that ask for one. Default: they are in the machine's, as all others. */
  readonly network?: PodNetwork
  /** Receives warnings about pods. Default: the log only. */
  readonly onEvent?: (pod: Pod, type: 'Normal' | 'Warning', reason: string, message: string) => void
}

/**
 * Runs the pods of one node as local processes. Made to be killed: what runs, goes on, and the next
 * kubelet takes it over.
 */
export function createKubelet(options: KubeletOptions): Runnable {
  return { run: (signal) => new Kubelet(options).run(signal) }
}

interface Entry {
  readonly worker: PodWorker
  readonly reporter: StatusReporter
  readonly isStatic: boolean
}

const deleteRetryMs = 500
const mirrorRetryMs = 1_000
const rotateLogsMs = 60_000

class Kubelet {
  readonly #options: KubeletOptions
  readonly #log: Logger
  readonly #podsDirectory: string
  readonly #ports: PodWorkerPorts
  readonly #entries = new Map<string, Entry>()
  /** Pods that were not accepted, until the watch shows that they have failed. */
  readonly #refused = new Map<string, StatusReporter>()
  /** Pods that have ended here, until the watch delivers their deletion. */
  readonly #finished = new Set<string>()
  readonly #pods
  readonly #node
  readonly #manifests
  #stop = AbortSignal.abort()
  #mirroring: Promise<void> | undefined
  #mirrorAgain = false

  constructor(options: KubeletOptions) {
    const { client, clock, log, nodeName, dataDirectory, address = '127.0.0.1' } = options
    this.#options = options
    this.#log = log.child({ node: nodeName })
    this.#podsDirectory = join(dataDirectory, 'pods')
    const { machine = readMachineFacts() } = options
    const bootId = readBootId()
    const source = createApiConfigurationSource(client)
    this.#ports = {
      clock,
      log: this.#log,
      bootId,
      exitWatch: createExitWatch({ clock, bootId }),
      resolveImage: options.resolveImage,
      source,
      refreshSource: createCachedConfigurationSource(source, clock),
      tokens: createTokenSource(client, clock),
      node: {
        nodeName,
        hostIP: address,
        network: options.network,
        cpu: String(machine.cpus),
        memory: `${Math.floor(machine.memoryBytes / 1024)}Ki`,
      },
      baseEnvironment: options.environment,
      podsDirectory: this.#podsDirectory,
      users: options.users,
      groups: options.groups,
    }
    const selection = { fieldSelector: `spec.nodeName=${nodeName}` }
    this.#pods = createInformer<Pod>({ client, clock, log: this.#log, resource: pods, selection })
    const { capacity = {}, labels = {}, version } = options
    const description = { name: nodeName, address, version, labels, capacity, machine }
    const disk = {
      thresholds: options.diskThresholds ?? defaultDiskThresholds,
      read: options.readDisk ?? (() => readFileSystemUse(dataDirectory)),
    }
    const onRegistered = (): void => this.#syncMirrors()
    this.#node = createNodeRegistration({ client, clock, log: this.#log, description, disk, onRegistered })
    const onChange = (): void => this.#syncStatic()
    this.#manifests = openManifestDirectory({ path: join(dataDirectory, 'manifests'), nodeName, clock, log: this.#log, onChange })
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#stop = signal
    mkdirSync(this.#podsDirectory, { recursive: true, mode: 0o700 })
    killOrphanedProcesses(this.#podsDirectory)
    await removeGroups(this.#ports, (uid) => !existsSync(podDirectory(this.#podsDirectory, uid).podFile))
    // Static pods start first, without the API: the API server may be one of them. Pods that must
    // end are adopted before others start, so that the two pods of a changed manifest never run at
    // once.
    const wanted = this.#manifests.read()
    this.#adoptSaved((uid, saved) => saved.isStatic && !wanted.has(uid))
    this.#syncStatic()
    using _listening = this.#pods.onEvent((event) => {
      if (event.type === 'deleted') this.#onDeleted(event.object)
      else this.#onPod(event.object)
    })
    const { clock, dataDirectory } = this.#options
    const { bootId, exitWatch, node } = this.#ports
    const server = {
      socketPath: join(dataDirectory, 'kubelet.sock'),
      podsDirectory: this.#podsDirectory,
      clock,
      bootId,
      exitWatch,
      node,
      users: this.#options.users,
      log: this.#log,
    }
    try {
      await Promise.all([
        this.#pods.run(signal),
        this.#node.run(signal),
        this.#afterSync(signal),
        this.#rotateLogs(signal),
        runKubeletServer(server, signal),
      ])
    } finally {
      this.#manifests[Symbol.dispose]()
      // Reporters first: a worker may be waiting for one that cannot reach the API.
      for (const entry of this.#entries.values()) entry.reporter[Symbol.dispose]()
      for (const reporter of this.#refused.values()) reporter[Symbol.dispose]()
      await Promise.all([...this.#entries.values()].map((entry) => entry.worker.close()))
      await this.#mirroring
    }
  }

  async #afterSync(signal: AbortSignal): Promise<void> {
    await this.#pods.synced(signal).catch(() => {})
    if (signal.aborted) return
    this.#adoptSaved((_uid, saved) => !saved.isStatic)
    this.#syncMirrors()
  }

  async #rotateLogs(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#options.clock.sleep(rotateLogsMs, signal).catch(() => {})
      for (const { worker } of this.#entries.values()) for (const path of worker.openLogs()) await rotateLog(path)
    }
  }

  /** Adopts pods from disk that no longer exist, to end them. */
  #adoptSaved(select: (uid: string, saved: { readonly isStatic: boolean }) => boolean): void {
    for (const uid of readdirSync(this.#podsDirectory)) {
      if (this.#entries.has(uid)) continue
      const saved = loadPod(podDirectory(this.#podsDirectory, uid))
      if (saved === undefined || !select(uid, saved)) continue
      this.#log.info({ pod: saved.pod.metadata.name, uid }, 'pod is no longer wanted')
      this.#add(saved.pod, saved.isStatic).worker.terminate(this.#graceEnd(saved.pod))
    }
  }

  #add(pod: Pod, isStatic: boolean): Entry {
    const { client, clock, onEvent } = this.#options
    const uid = pod.metadata.uid ?? ''
    const reporter = createStatusReporter({ client, clock, log: this.#log })
    const worker = createPodWorker(this.#ports, pod, isStatic, {
      onStatus: (status) => reporter.report(status),
      lastStatus: () => reporter.last,
      onTerminated: (status) => this.#onTerminated(pod, isStatic, reporter, status),
      onEvent: (type, reason, message) => {
        this.#log.info({ pod: pod.metadata.name, namespace: pod.metadata.namespace, reason }, message)
        onEvent?.(pod, type, reason, message)
      },
      onGone: () => {
        reporter[Symbol.dispose]()
        this.#entries.delete(uid)
        if (this.#pods.get(pod.metadata.namespace ?? '', pod.metadata.name ?? '')?.metadata.uid === uid) this.#finished.add(uid)
        this.#syncStatic()
      },
    })
    const entry = { worker, reporter, isStatic }
    this.#entries.set(uid, entry)
    return entry
  }

  #graceEnd(pod: Pod): number {
    const seconds = pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30
    return this.#options.clock.now() + seconds * 1000
  }

  #onPod(pod: Pod): void {
    if (isMirror(pod)) return this.#onMirror(pod)
    const uid = pod.metadata.uid ?? ''
    if (this.#finished.has(uid)) return
    const known = this.#entries.get(uid)
    const over = isPodTerminal(pod)
    const saved = known !== undefined || loadPod(podDirectory(this.#podsDirectory, uid)) !== undefined
    if (!saved && over && !isBeingDeleted(pod)) return this.#forgetRefused(uid)
    if (!saved && !isBeingDeleted(pod) && this.#lacksPorts(pod)) return this.#refuse(pod)
    this.#forgetRefused(uid)
    const entry = known ?? this.#add(pod, false)
    entry.reporter.observe(pod)
    if (pod.metadata.deletionTimestamp !== undefined) entry.worker.terminate(deletionDeadline(pod.metadata.deletionTimestamp))
    if (known !== undefined) entry.worker.update(pod)
  }

  /** The scheduler knows what is free, but a pod can name its node itself. */
  #lacksPorts(pod: Pod): boolean {
    const isOurs = ({ metadata: { uid = '' } }: Pod): boolean =>
      this.#entries.has(uid) || loadPod(podDirectory(this.#podsDirectory, uid)) !== undefined
    const others = this.#pods.list().filter((other) => other.metadata.uid !== pod.metadata.uid && !isPodTerminal(other))
    return hostPortsConflict(pod, others) && hostPortsConflict(pod, others.filter(isOurs))
  }

  /** Ends a pod that was not accepted: its controller makes another one. */
  #refuse(pod: Pod): void {
    const uid = pod.metadata.uid ?? ''
    if (this.#refused.has(uid)) return
    const { client, clock, onEvent } = this.#options
    const reporter = createStatusReporter({ client, clock, log: this.#log })
    this.#refused.set(uid, reporter)
    reporter.observe(pod)
    const message = "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"
    reporter.report({ phase: 'Failed', reason: 'NodePorts', message: `Pod was rejected: ${message}` })
    onEvent?.(pod, 'Warning', 'NodePorts', message)
  }

  #forgetRefused(uid: string): void {
    this.#refused.get(uid)?.[Symbol.dispose]()
    this.#refused.delete(uid)
  }

  #onDeleted(pod: Pod): void {
    if (isMirror(pod)) return this.#onMirror(pod)
    this.#forgetRefused(pod.metadata.uid ?? '')
    this.#finished.delete(pod.metadata.uid ?? '')
    const entry = this.#entries.get(pod.metadata.uid ?? '')
    if (entry === undefined) return
    entry.reporter.forget()
    entry.worker.terminate(this.#graceEnd(pod))
  }

  async #onTerminated(pod: Pod, isStatic: boolean, reporter: StatusReporter, status: PodStatus | undefined): Promise<void> {
    const { namespace = '', name = '', uid = '' } = pod.metadata
    if (isStatic || this.#pods.get(namespace, name)?.metadata.uid !== uid) return
    if (status !== undefined) reporter.report(status)
    await reporter.flushed()
    while (!this.#stop.aborted) {
      try {
        const options = { gracePeriodSeconds: 0, preconditions: { uid }, signal: this.#stop }
        return await this.#options.client.delete(pods, { namespace, name }, options)
      } catch (error) {
        if (isNotFound(error) || isConflict(error)) return
        if (!this.#stop.aborted) this.#log.warn({ namespace, name, error }, 'ended pod could not be deleted')
        await this.#options.clock.sleep(deleteRetryMs, this.#stop).catch(() => {})
      }
    }
  }

  #syncStatic(): void {
    if (this.#stop.aborted) return
    const wanted = this.#manifests.read()
    for (const [uid, entry] of this.#entries) {
      if (entry.isStatic && !wanted.has(uid)) entry.worker.terminate(this.#graceEnd(entry.worker.pod))
    }
    for (const [uid, pod] of wanted) {
      // The predecessor of a changed manifest ends first; its end brings us here again.
      if (this.#entries.has(uid) || this.#isNameTaken(pod)) continue
      this.#add(pod, true)
      this.#showInMirror(pod.metadata.namespace ?? '', pod.metadata.name ?? '')
    }
    this.#syncMirrors()
  }

  #isNameTaken({ metadata: { namespace, name } }: Pod): boolean {
    return [...this.#entries.values()].some(
      ({ isStatic, worker }) => isStatic && worker.pod.metadata.name === name && worker.pod.metadata.namespace === namespace,
    )
  }

  #staticEntries(): readonly Entry[] {
    return [...this.#entries.values()].filter((entry) => entry.isStatic && !entry.worker.terminating)
  }

  #onMirror(mirror: Pod): void {
    this.#showInMirror(mirror.metadata.namespace ?? '', mirror.metadata.name ?? '')
    this.#syncMirrors()
  }

  #showInMirror(namespace: string, name: string): void {
    const mirror = this.#pods.get(namespace, name)
    for (const { worker, reporter } of this.#staticEntries()) {
      if (worker.pod.metadata.namespace !== namespace || worker.pod.metadata.name !== name) continue
      if (mirror !== undefined && mirrors(mirror, worker.pod)) reporter.observe(mirror)
      else reporter.forget()
    }
  }

  #syncMirrors(): void {
    this.#mirrorAgain = true
    // Mirrors are owned by the node, so that they go when it goes.
    if (this.#pods.hasSynced && this.#node.nodeUid !== undefined)
      this.#mirroring ??= this.#mirror().finally(() => (this.#mirroring = undefined))
  }

  async #mirror(): Promise<void> {
    while (this.#mirrorAgain && !this.#stop.aborted) {
      this.#mirrorAgain = false
      const wanted = this.#staticEntries().map(({ worker }) => worker.pod)
      const steps = planMirrors(wanted, this.#pods.list().filter(isMirror))
      try {
        for (const step of steps) await takeMirrorStep(this.#options.client, step, this.#node.nodeUid, this.#stop)
      } catch (error) {
        if (this.#stop.aborted) return
        this.#log.warn({ error }, 'mirror pods could not be brought up to date')
        await this.#options.clock.sleep(mirrorRetryMs, this.#stop).catch(() => {})
        this.#mirrorAgain = true
      }
    }
  }
}

/** deletionTimestamp has whole seconds, rounded down: the pod is given the benefit of the doubt. */
function deletionDeadline(deletionTimestamp: string): number {
  return Date.parse(deletionTimestamp) + 999
}
