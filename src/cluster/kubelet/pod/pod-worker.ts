import { rm } from 'node:fs/promises'
import type { Container as ContainerSpec } from '#api/core/v1/container.ts'
import type { Pod, PodStatus } from '#api/core/v1/pod.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ControlGroups } from '#runtime/isolation/control-groups.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { RunRequest } from '../container/container.ts'
import { logPathOf } from '../container/container-record.ts'
import { pullImage } from '../container/pull-image.ts'
import { createRunRequest, type RunRequestPorts } from '../container/run-request.ts'
import type { ConfigurationSource } from '../environment/configuration-source.ts'
import { type PodIdentity, userOf, volumeGroupOf } from '../isolation/pod-identity.ts'
import type { CommandOwner } from '../isolation/command-beside.ts'
import { containerLimits } from '../limits/container-limits.ts'
import { removeGroups } from '../limits/remove-groups.ts'
import { podAddress } from '../network/pod-address.ts'
import { readPodLogins } from '../images/pull-secrets.ts'
import type { ImageResolver, ImageUser, PullPolicy } from '../options.ts'
import type { ExitWatch } from '../process/exit-watch.ts'
import { createNotifier } from '../process/notifier.ts'
import { trySignal } from '../process/process-identity.ts'
import { findMarked } from '../process/process-marker.ts'
import { prepareVolumes } from '../volumes/prepare-volumes.ts'
import { startVolumeRefresher, type VolumeRefresher } from '../volumes/refresher.ts'
import type { TokenSource } from '../volumes/service-account-token.ts'
import { allContainers, type ContainerViews } from './container-view.ts'
import { finalPlan, type PodPlan } from './plan.ts'
import { type PodDirectory, podDirectory } from './pod-directory.ts'
import { restartDelayMs } from './restart-backoff.ts'
import { loadPod, savePod } from './saved-pod.ts'
import { podStatus } from './status.ts'
import { type SupervisedContainer, superviseContainer } from './supervised-container.ts'
import { waitingReasonOf, type Stage } from './waiting-reason.ts'
import {
  failuresOf,
  historyOf,
  initialState,
  nextStep,
  withStart,
  withStartFailure,
  withTermination,
  type WorkerState,
  type WorkerStep,
} from './worker-state.ts'

/** Dependencies of a pod worker. */
export interface PodWorkerPorts extends RunRequestPorts {
  readonly clock: Clock
  readonly log: Logger
  readonly bootId: string
  readonly exitWatch: ExitWatch
  /** Undefined: containers are not limited. */
  readonly groups?: ControlGroups | undefined
  readonly resolveImage: ImageResolver
  /** Source for volumes of running pods; its answers may be a little old. */
  readonly refreshSource: ConfigurationSource
  readonly tokens: TokenSource
  readonly podsDirectory: string
}

/** Receives what a pod worker reports. */
export interface PodListener {
  /** The status that the pod should show. Called on every change, and only then. */
  onStatus(status: PodStatus): void
  /** The status shown last, so that transition times are kept. */
  lastStatus(): PodStatus | undefined
  /** All processes have ended after a termination. The directory is removed when this resolves. */
  onTerminated(status: PodStatus | undefined): Promise<void>
  onEvent(type: 'Normal' | 'Warning', reason: string, message: string): void
  /** The pod is gone, with its directory. */
  onGone(): void
}

/** Runs one pod from its start to its end. */
export interface PodWorker {
  readonly pod: Pod
  readonly terminating: boolean
  /** Accepts a new version of the same pod. */
  update(pod: Pod): void
  /**
   * Ends the pod by the deadline, in milliseconds since the epoch; an earlier one wins over a
   * later.
   */
  terminate(deadline: number): void
  /** Paths of the logs that are being written. */
  openLogs(): readonly string[]
  /** Decides again. */
  wake(): void
  /** Stops supervising. Processes run on: the next kubelet adopts them. */
  close(): Promise<void>
}

/** Starts to run a pod, or takes over what an earlier kubelet left of it. */
export function createPodWorker(ports: PodWorkerPorts, first: Pod, isStatic: boolean, listener: PodListener): PodWorker {
  const worker = new Worker(ports, first, isStatic, listener)
  worker.wake()
  return worker
}

/**
 * I/O around {@link nextStep}: one loop that takes a step, acts, reports, and waits for the next
 * change.
 */
class Worker implements PodWorker {
  readonly #ports: PodWorkerPorts
  readonly #listener: PodListener
  readonly #isStatic: boolean
  readonly #uid: string
  readonly #directory: PodDirectory
  readonly #containers: ReadonlyMap<string, SupervisedContainer>
  readonly #notifier
  readonly #closed = new AbortController()
  /** Aborts what only a pod that starts waits for. */
  readonly #ending = new AbortController()
  #pod: Pod
  #identity: PodIdentity | undefined
  #state: WorkerState
  #refresher: VolumeRefresher | undefined
  #timer: Disposable | undefined
  #dirty = false
  /** Resources of running containers that are in effect, by container. */
  readonly #resources = new Map<string, ContainerSpec['resources']>()
  /** Steps that threw, in a row. */
  #failures = 0
  #loop: Promise<void> | undefined

  constructor(ports: PodWorkerPorts, pod: Pod, isStatic: boolean, listener: PodListener) {
    this.#ports = ports
    this.#listener = listener
    this.#pod = pod
    this.#isStatic = isStatic
    this.#uid = pod.metadata?.uid ?? ''
    this.#notifier = createNotifier(ports.clock)
    this.#directory = podDirectory(ports.podsDirectory, this.#uid)
    const saved = loadPod(this.#directory) ?? savePod(this.#directory, { pod, isStatic, acceptedAt: ports.clock.now() })
    this.#identity = saved.identity
    this.#state = initialState(saved, [])
    this.#containers = new Map(allContainers(pod).map(({ name }) => [name, this.#supervise(name)] as const))
    this.#state = initialState(saved, [...this.#containers.values()])
    if (this.#state.prepared && !this.terminating) this.#startRefresher()
  }

  get pod(): Pod {
    return this.#pod
  }

  get terminating(): boolean {
    return this.#state.terminateBy !== undefined
  }

  update(pod: Pod): void {
    this.#pod = pod
    this.wake()
  }

  terminate(deadline: number): void {
    const next = withTermination(this.#state, deadline)
    if (next === this.#state) return
    this.#state = next
    this.#ending.abort()
    const saved = loadPod(this.#directory)
    if (saved !== undefined) savePod(this.#directory, { ...saved, terminateBy: deadline })
    this.#notifier.notify()
    this.wake()
  }

  openLogs(): readonly string[] {
    return [...this.#containers.values()].flatMap(({ current, identity }) =>
      current?.state === 'running' ? [logPathOf(identity.directory, current.restart)] : [],
    )
  }

  wake(): void {
    this.#dirty = true
    this.#loop ??= this.#run()
  }

  async close(): Promise<void> {
    this.#closed.abort()
    this.#ending.abort()
    this.#notifier.notify()
    this.#timer?.[Symbol.dispose]()
    for (const container of this.#containers.values()) container[Symbol.dispose]()
    await this.#refresher?.close()
    await this.#loop
    await Promise.all([...this.#containers.values()].map((container) => container.settled()))
  }

  async #run(): Promise<void> {
    await Promise.resolve()
    while (this.#dirty && !this.#closed.signal.aborted) {
      this.#dirty = false
      try {
        await this.#step()
        this.#failures = 0
      } catch (error) {
        this.#ports.log.error({ pod: this.#pod.metadata?.name, error }, 'pod could not be synced')
        this.#wakeIn(restartDelayMs(++this.#failures))
      }
    }
    this.#loop = undefined
  }

  #wakeIn(ms: number): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = this.#closed.signal.aborted ? undefined : this.#ports.clock.after(ms, () => this.wake())
  }

  async #step(): Promise<void> {
    const step = this.#next()
    if (step.kind === 'terminate') return this.#end(step.stages)
    for (const name of step.stop) this.#containers.get(name)?.stop()
    for (const name of step.start) {
      if (this.terminating || this.#closed.signal.aborted) return
      await this.#start(name)
    }
    this.#resize()
    const after = step.start.length === 0 ? step : this.#next()
    if (after.kind === 'terminate') return this.wake()
    this.#listener.onStatus({ ...this.#status(after.plan), ...after.expired })
    if (after.start.length > 0) this.wake()
    else if (after.wakeAt !== undefined) this.#wakeIn(Math.min(longestTimerMs, Math.max(0, after.wakeAt - this.#ports.clock.now())))
  }

  /** Puts the newest resources into effect. A limit below what is in use stays as it was. */
  #resize(): void {
    for (const [name, container] of this.#containers) {
      const spec = this.#spec(name)
      const limits = spec === undefined ? undefined : containerLimits(this.#pod, spec)
      if (limits === undefined || container.resize(limits)) this.#resources.set(name, spec?.resources)
    }
  }

  #next(): WorkerStep {
    return nextStep(this.#pod, this.#state, this.#views(), this.#ports.clock.now())
  }

  #views(): ContainerViews {
    return new Map(
      [...this.#containers].map(([name, { current, previous, started, ready }]) => {
        const { startFailure, backoffLevel } = historyOf(this.#state, name)
        const resources = this.#resources.get(name)
        return [name, { current, previous, started, ready, startFailure, backoffLevel, resources }] as const
      }),
    )
  }

  #status(plan: PodPlan): PodStatus {
    return podStatus(this.#pod, plan, this.#views(), {
      podUid: this.#uid,
      hostIP: this.#ports.node.hostIP,
      podIP: podAddress(this.#pod, this.#ports.node),
      startTime: this.#state.acceptedAt,
      now: this.#ports.clock.now(),
      prepared: this.#state.prepared,
      isStatic: this.#isStatic,
      last: this.#listener.lastStatus(),
    })
  }

  #supervise(name: string): SupervisedContainer {
    const { clock, bootId, exitWatch, groups } = this.#ports
    const ports = {
      clock,
      bootId,
      exitWatch,
      groups,
      notifier: this.#notifier,
      closed: this.#closed.signal,
      spec: () => this.#spec(name),
      owner: () => this.#owner(name),
      address: () => podAddress(this.#pod, this.#ports.node),
      network: this.#ports.node.network,
      stopDeadline: () => clock.now() + (this.#pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000,
      terminateBy: () => this.#state.terminateBy,
      onChange: () => this.wake(),
      onWarning: (reason: string, message: string) => this.#listener.onEvent('Warning', reason, message),
    }
    return superviseContainer(ports, this.#uid, name, this.#directory.container(name))
  }

  #owner(name: string): CommandOwner | undefined {
    const user = this.#identity === undefined ? undefined : userOf(this.#identity, this.#pod, this.#spec(name))
    return user === undefined ? undefined : { user, directory: this.#directory.container(name) }
  }

  /** Decided once, at the first start: what a pod may do does not change while it runs. */
  async #identify(): Promise<PodIdentity> {
    if (this.#identity !== undefined) return this.#identity
    const identity = (await this.#ports.users?.identify(this.#pod, this.#isStatic)) ?? { kind: 'system' }
    const saved = loadPod(this.#directory)
    if (saved !== undefined && !this.terminating) savePod(this.#directory, { ...saved, identity })
    // Volumes of an earlier kubelet get the group of the pod.
    this.#state = { ...this.#state, prepared: false }
    this.#identity = identity
    return identity
  }

  #spec(name: string): ContainerSpec | undefined {
    return allContainers(this.#pod).find((spec) => spec.name === name)
  }

  async #start(name: string): Promise<void> {
    const spec = this.#spec(name)
    const container = this.#containers.get(name)
    if (spec === undefined || container === undefined) return
    const request = await this.#request(spec)
    if (request === undefined || this.terminating || this.#closed.signal.aborted) return
    this.#state = withStart(this.#state, name, container.current?.state === 'exited' ? container.current : undefined)
    await container.start(request)
  }

  /** Resolves to undefined, with the reason recorded, when the container cannot be started now. */
  async #request(spec: ContainerSpec): Promise<RunRequest | undefined> {
    let stage: Stage = 'configuration'
    try {
      const identity = await this.#identify()
      stage = 'volumes'
      const group = volumeGroupOf(identity, this.#pod)
      if (!this.#state.prepared) await this.#prepareVolumes(group, spec.name)
      this.#state = { ...this.#state, prepared: true }
      this.#startRefresher()
      const image = await pullImage(this.#ports.resolveImage, spec.image ?? '')
      stage = 'configuration'
      const input = { pod: this.#pod, spec, image, directory: this.#directory, identity }
      return await createRunRequest(this.#ports, input, (message) => this.#listener.onEvent('Warning', 'MountsNotVisible', message))
    } catch (error) {
      if (this.#ending.signal.aborted) return undefined
      const failures = failuresOf(this.#state, spec.name) + 1
      const reason = waitingReasonOf(error, stage, failures)
      this.#state = withStartFailure(this.#state, spec.name, reason, this.#ports.clock.now())
      if (failures <= 2) this.#listener.onEvent('Warning', reason.event, reason.message)
      return undefined
    }
  }

  #prepareVolumes(group: number | undefined, container: string): Promise<void> {
    const imageUser = (policy: PullPolicy): ImageUser => ({
      policy,
      signal: this.#ending.signal,
      logins: async () => {
        const { logins, unusable } = await readPodLogins(this.#ports.source, this.#pod)
        if (unusable.length > 0) this.#listener.onEvent('Warning', 'FailedToRetrieveImagePullSecret', withoutSecrets(unusable))
        return logins
      },
      onEvent: (type, reason, message) => {
        this.#listener.onEvent(type, reason, message)
        // A pull may take minutes. After a failure, the reason of it stays visible.
        const next = this.#next()
        if (reason === 'Pulling' && failuresOf(this.#state, container) === 0 && next.kind === 'run')
          this.#listener.onStatus(this.#status(next.plan))
      },
    })
    return prepareVolumes({ ...this.#ports, group, imageUser }, this.#pod, this.#directory)
  }

  #startRefresher(): void {
    const group = this.#identity === undefined ? undefined : volumeGroupOf(this.#identity, this.#pod)
    const ports = { ...this.#ports, source: this.#ports.refreshSource, group }
    this.#refresher ??= startVolumeRefresher(ports, () => this.#pod, this.#directory)
  }

  async #end(stages: readonly (readonly string[])[]): Promise<void> {
    this.#timer?.[Symbol.dispose]()
    for (const container of this.#containers.values()) container.stopProbes()
    const deadline = (): number => this.#state.terminateBy ?? 0
    for (const stage of stages) await Promise.all(stage.map(async (name) => this.#containers.get(name)?.terminate(deadline)))
    if (this.#closed.signal.aborted) return
    for (const left of findMarked(`${this.#uid}/`)) trySignal(left.pid, 'SIGKILL')
    await removeGroups(this.#ports, (pod) => pod === this.#uid)
    const ran = [...this.#containers.values()].some((container) => container.current !== undefined)
    // A later write would bring the removed directory back.
    this.#state = { ...this.#state, removing: true }
    await this.#listener.onTerminated(ran ? this.#status(finalPlan(this.#pod, this.#views())) : undefined)
    if (this.#closed.signal.aborted) return
    await this.#refresher?.close()
    await rm(this.#directory.path, { recursive: true, force: true })
    this.#closed.abort()
    this.#listener.onGone()
  }
}

function withoutSecrets(names: readonly string[]): string {
  return `Unable to retrieve some image pull secrets (${names.join(', ')}); attempting to pull the image may not succeed.`
}

/** Longest delay of a Node timer, rounded down; the worker decides again then. */
const longestTimerMs = 2_000_000_000
