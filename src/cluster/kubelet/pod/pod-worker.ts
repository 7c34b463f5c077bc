import { rm } from 'node:fs/promises'
import type { Container as ContainerSpec, LifecycleHandler } from '#api/core/v1/container.ts'
import type { Pod, PodStatus } from '#api/core/v1/pod.ts'
import type { Clock } from '#runtime/clock.ts'
import type { Logger } from '#runtime/log.ts'
import type { ImageResolver } from '../options.ts'
import { startContainerProbes, type ContainerProbes } from '../probes/container-probes.ts'
import { type Container, createContainer, type RunningRecord, type RunRequest } from '../container/container.ts'
import { writeFileAtomically } from '../process/atomic-file.ts'
import { logPathOf, terminationPathOf } from '../container/container-record.ts'
import type { ExitWatch } from '../process/exit-watch.ts'
import { canMount, commandWithMounts, untilMounted } from '../process/mount-namespace.ts'
import { trySignal } from '../process/process-identity.ts'
import { findMarked } from '../process/process-marker.ts'
import { containerMounts, mountsAnnotation } from '../volumes/mounts.ts'
import { prepareVolumes } from '../volumes/prepare-volumes.ts'
import { startVolumeRefresher, type VolumeRefresher } from '../volumes/refresher.ts'
import type { TokenSource } from '../volumes/service-account-token.ts'
import { createNotifier } from '../process/notifier.ts'
import type { ConfigurationSource } from '../environment/configuration-source.ts'
import { allContainers, type ContainerViews, type StartFailure, isSidecar } from './container-view.ts'
import { containerEnvironment } from '../environment/environment.ts'
import type { NodeFacts } from '../environment/field-reference.ts'
import { containerCommand, workingDirectoryOf } from '../container/command.ts'
import { finalPlan, planPod, type PodPlan } from './plan.ts'
import { podAddress } from '../environment/pod-address.ts'
import { type PodDirectory, podDirectory } from './pod-directory.ts'
import { type WaitingReason, waitingReasonOf, type Stage } from './waiting-reason.ts'
import { runHook } from '../container/lifecycle-hook.ts'
import { pullImage } from '../container/pull-image.ts'
import { nextRun, restartDelayMs } from './restart-backoff.ts'
import { loadPod, savePod } from './saved-pod.ts'
import { deadlineExceeded, podStatus } from './status.ts'
import { terminateContainer } from '../container/terminate-container.ts'

/** What a pod worker needs of the node. */
export interface PodWorkerPorts {
  readonly clock: Clock
  readonly log: Logger
  readonly bootId: string
  readonly exitWatch: ExitWatch
  readonly resolveImage: ImageResolver
  readonly source: ConfigurationSource
  /** The same for volumes of running pods: its answers may be a little old. */
  readonly refreshSource: ConfigurationSource
  readonly tokens: TokenSource
  readonly node: NodeFacts
  /** PATH, HOME and what else every container gets. */
  readonly baseEnvironment: Readonly<Record<string, string>>
  readonly podsDirectory: string
}

/** Whom a pod worker tells. */
export interface PodListener {
  /** The status that the pod should show. Called on every change, and only then. */
  onStatus(status: PodStatus): void
  /** The status shown last, so that transition times are kept. */
  lastStatus(): PodStatus | undefined
  /** Everything has ended after a termination. The directory is removed when this resolves. */
  onTerminated(status: PodStatus | undefined): Promise<void>
  onEvent(type: 'Normal' | 'Warning', reason: string, message: string): void
  /** The pod is gone, with its directory. */
  onGone(): void
}

type Program = Pick<RunRequest, 'command' | 'environment' | 'workingDirectory'>

/** Runs one pod from its start to its end. */
export interface PodWorker {
  readonly pod: Pod
  readonly terminating: boolean
  /** A new version of the same pod. */
  update(pod: Pod): void
  /**
   * Ends the pod by the deadline, in milliseconds since the epoch; an earlier one wins over a
   * later.
   */
  terminate(deadline: number): void
  /** Paths of the logs that are being written. */
  openLogs(): readonly string[]
  /** Looks again. */
  wake(): void
  /** Stops supervising. Processes go on: the next kubelet adopts them. */
  close(): Promise<void>
}

/** Starts to run a pod, or takes over what an earlier kubelet left of it. */
export function createPodWorker(ports: PodWorkerPorts, first: Pod, isStatic: boolean, listener: PodListener): PodWorker {
  const worker = new Worker(ports, first, isStatic, listener)
  worker.wake()
  return worker
}

class Worker implements PodWorker {
  readonly #ports: PodWorkerPorts
  readonly #listener: PodListener
  readonly #isStatic: boolean
  readonly #uid: string
  readonly #directory: PodDirectory
  readonly #startTime: number
  readonly #containers: ReadonlyMap<string, Container>
  readonly #probes = new Map<string, ContainerProbes>()
  readonly #holds = new Map<string, { hold: StartFailure; failures: number }>()
  readonly #backoffLevels = new Map<string, number>()
  readonly #killing = new Set<string>()
  readonly #bell
  readonly #closed = new AbortController()
  #pod: Pod
  #prepared: boolean
  #refresher: VolumeRefresher | undefined
  #deadline: number | undefined
  #timer: Disposable | undefined
  #dirty = false
  #isOver = false
  #failures = 0
  #loop: Promise<void> | undefined
  #killed: Promise<unknown>[] = []

  constructor(ports: PodWorkerPorts, pod: Pod, isStatic: boolean, listener: PodListener) {
    this.#ports = ports
    this.#listener = listener
    this.#pod = pod
    this.#isStatic = isStatic
    this.#uid = pod.metadata?.uid ?? ''
    this.#bell = createNotifier(ports.clock)
    this.#directory = podDirectory(ports.podsDirectory, this.#uid)
    const saved = loadPod(this.#directory) ?? savePod(this.#directory, { pod, isStatic, acceptedAt: ports.clock.now() })
    this.#startTime = saved.acceptedAt
    this.#deadline = saved.terminateBy
    this.#containers = new Map(
      allContainers(pod).map((spec) => {
        const identity = { podUid: this.#uid, name: spec.name, directory: this.#directory.container(spec.name) }
        return [spec.name, createContainer(ports, identity, () => this.#onExit(spec.name))] as const
      }),
    )
    this.#prepared = [...this.#containers.values()].some((container) => container.current !== undefined)
    if (this.#prepared && !this.terminating) this.#keepFresh()
    for (const spec of allContainers(pod)) if (this.#containers.get(spec.name)?.current?.state === 'running') this.#startProbes(spec)
  }

  get pod(): Pod {
    return this.#pod
  }

  get terminating(): boolean {
    return this.#deadline !== undefined
  }

  update(pod: Pod): void {
    this.#pod = pod
    this.wake()
  }

  terminate(deadline: number): void {
    if (this.#isOver || (this.#deadline !== undefined && this.#deadline <= deadline)) return
    this.#deadline = deadline
    const saved = loadPod(this.#directory)
    if (saved !== undefined) savePod(this.#directory, { ...saved, terminateBy: deadline })
    this.#bell.ring()
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
    this.#bell.ring()
    this.#timer?.[Symbol.dispose]()
    this.#stopProbes()
    for (const container of this.#containers.values()) container[Symbol.dispose]()
    await this.#refresher?.close()
    await this.#loop
    await Promise.all(this.#killed)
  }

  async #run(): Promise<void> {
    await Promise.resolve()
    while (this.#dirty && !this.#closed.signal.aborted) {
      this.#dirty = false
      try {
        await (this.terminating ? this.#end() : this.#sync())
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

  async #sync(): Promise<void> {
    const { clock } = this.#ports
    if (clock.now() >= this.#activeUntil) return this.#expire()
    const plan = this.#plan()
    for (const name of plan.stop) this.#kill(name, clock.now() + this.#graceMs())
    for (const name of plan.start) {
      if (this.terminating || this.#closed.signal.aborted) return
      await this.#start(name)
    }
    const next = this.#plan()
    this.#listener.onStatus(this.#status(next))
    if (next.start.length > 0) this.wake()
    else {
      const recheckAt = Math.min(next.recheckAt ?? Infinity, isOver(next.phase) ? Infinity : this.#activeUntil)
      if (recheckAt !== Infinity) this.#wakeIn(Math.min(longestTimerMs, Math.max(0, recheckAt - clock.now())))
    }
  }

  /** When the pod has used up its time; it may be shortened while it runs. */
  get #activeUntil(): number {
    const seconds = this.#pod.spec.activeDeadlineSeconds
    return seconds === undefined ? Infinity : this.#startTime + seconds * 1000
  }

  /** Ends a pod whose time is up. What has ended by itself before is not changed by that. */
  #expire(): void {
    const { clock } = this.#ports
    const before = this.#plan()
    const inTime = [...this.#containers.values()].every(
      ({ current }) => current === undefined || (current.state === 'exited' && current.exit.finishedAt < this.#activeUntil),
    )
    if (isOver(before.phase) && inTime) return this.#listener.onStatus(this.#status(before))
    const running = [...this.#containers].filter(([, container]) => container.current?.state === 'running')
    for (const [name] of running) this.#kill(name, clock.now() + this.#graceMs())
    const plan = { ...finalPlan(this.#pod, this.#views()), phase: 'Failed' as const }
    const message = 'Pod was active on the node longer than the specified deadline'
    this.#listener.onStatus({ ...this.#status(plan), reason: deadlineExceeded, message })
  }

  #plan(): PodPlan {
    return planPod(this.#pod, this.#views(), this.#ports.clock.now())
  }

  #views(): ContainerViews {
    return new Map(
      [...this.#containers].map(([name, container]) => {
        const running = container.current?.state === 'running'
        const probes = this.#probes.get(name)
        const view = {
          current: container.current,
          previous: container.previous,
          started: running && probes?.started === true,
          ready: running && probes?.ready === true,
          startFailure: this.#holds.get(name)?.hold,
          backoffLevel: this.#backoffLevels.get(name) ?? 0,
        }
        return [name, view] as const
      }),
    )
  }

  #status(plan: PodPlan): PodStatus {
    return podStatus(this.#pod, plan, this.#views(), {
      podUid: this.#uid,
      hostIP: this.#ports.node.hostIP,
      podIP: this.#address(),
      startTime: this.#startTime,
      now: this.#ports.clock.now(),
      prepared: this.#prepared,
      isStatic: this.#isStatic,
      last: this.#listener.lastStatus(),
    })
  }

  async #start(name: string): Promise<void> {
    const spec = allContainers(this.#pod).find((one) => one.name === name)
    const container = this.#containers.get(name)
    if (spec === undefined || container === undefined) return
    const request = await this.#request(spec)
    if (request === undefined || this.terminating || this.#closed.signal.aborted) return
    this.#holds.delete(name)
    const { current } = container
    if (current?.state === 'exited') this.#backoffLevels.set(name, nextRun(current, this.#backoffLevels.get(name) ?? 0).level)
    await container.start(request)
    const { current: started } = container
    if (started?.state !== 'running') return
    await untilMounted(this.#ports.clock, started.process.pid)
    if (container.current !== started || this.#closed.signal.aborted) return
    if (spec.lifecycle?.postStart === undefined) this.#startProbes(spec)
    else void this.#postStart(spec, started, spec.lifecycle.postStart)
  }

  /**
   * A container is not ready, and not probed, before its hook has come to its end. One whose hook
   * fails is ended.
   */
  async #postStart(spec: ContainerSpec, run: RunningRecord, hook: LifecycleHandler): Promise<void> {
    const { clock, exitWatch } = this.#ports
    const over = new AbortController()
    using _watching = exitWatch.watch(run.process, () => over.abort())
    const target = { container: spec, pid: run.process.pid, host: this.#address() }
    const { success, message } = await runHook(clock, hook, target, hookLimitMs, AbortSignal.any([over.signal, this.#closed.signal]))
    const { current } = this.#containers.get(spec.name) ?? {}
    if (this.#closed.signal.aborted || current?.state !== 'running' || current.restart !== run.restart || this.terminating) return
    if (success) this.#startProbes(spec)
    else {
      this.#listener.onEvent('Warning', 'FailedPostStartHook', `PostStartHook failed: ${message}; container ${spec.name} is ended`)
      this.#kill(spec.name, clock.now() + this.#graceMs())
    }
    this.wake()
  }

  /** What to run, or undefined when something it needs is missing; the reason is then held. */
  async #request(spec: ContainerSpec): Promise<RunRequest | undefined> {
    const { node, source, baseEnvironment: base, resolveImage } = this.#ports
    let stage: Stage = 'volumes'
    try {
      if (!this.#prepared) await prepareVolumes(this.#ports, this.#pod, this.#directory)
      this.#prepared = true
      this.#keepFresh()
      const image = await pullImage(resolveImage, spec.image ?? '')
      stage = 'configuration'
      const input = { pod: this.#pod, container: spec, podDirectory: this.#directory.path, node, base, source }
      const environment = await containerEnvironment(input)
      const program = {
        command: containerCommand(spec, image, environment),
        environment,
        workingDirectory: workingDirectoryOf(spec, image),
      }
      return {
        ...(await this.#mounted(spec, program, image.rootDirectory)),
        image: image.id ?? spec.image ?? '',
        niceness: isSystemCritical(this.#pod) ? 0 : guestNiceness,
        ...(spec.stdin === true ? { stdin: { once: spec.stdinOnce === true } } : {}),
      }
    } catch (error) {
      this.#hold(spec.name, (failures) => waitingReasonOf(error, stage, failures))
      return undefined
    }
  }

  #keepFresh(): void {
    const ports = { ...this.#ports, source: this.#ports.refreshSource }
    this.#refresher ??= startVolumeRefresher(ports, () => this.#pod, this.#directory)
  }

  /**
   * Lets a process see its volumes where its mounts say, or tells it where they are. It is started
   * in `root`, as its own folder may be a mount.
   */
  async #mounted(spec: ContainerSpec, program: Program, root: string): Promise<Program> {
    const { command, environment, workingDirectory } = program
    if (this.#pod.metadata.annotations?.[mountsAnnotation] === 'none') return program
    const mounts = await containerMounts(this.#pod, spec, this.#directory, environment)
    if (mounts.length === 0) return program
    if (await canMount()) {
      const all = [...mounts, this.#terminationMount(spec)]
      return { environment, workingDirectory: root, command: commandWithMounts(command, all, workingDirectory) }
    }
    const list = mounts.map(({ target, source }) => `${target}=${source}`).join(':')
    const message = `container ${spec.name} does not see its volumes at their mountPath, as this kubelet may not mount: they are named in STEADYVM_MOUNTS`
    this.#listener.onEvent('Warning', 'MountsNotVisible', message)
    return { ...program, environment: { ...environment, STEADYVM_MOUNTS: list } }
  }

  /** Where the process may say why it ended; empty at its start. */
  #terminationMount(spec: ContainerSpec): { readonly source: string; readonly target: string; readonly readOnly: false } {
    const source = terminationPathOf(this.#directory.container(spec.name))
    writeFileAtomically(source, '', 0o666)
    return { source, target: spec.terminationMessagePath ?? '/dev/termination-log', readOnly: false }
  }

  #hold(name: string, explain: (failures: number) => WaitingReason): void {
    const failures = (this.#holds.get(name)?.failures ?? 0) + 1
    const { reason, event, message } = explain(failures)
    this.#holds.set(name, { failures, hold: { reason, message, retryAt: this.#ports.clock.now() + restartDelayMs(failures) } })
    if (failures <= 2) this.#listener.onEvent('Warning', event, message)
  }

  #startProbes(spec: ContainerSpec): void {
    const { clock } = this.#ports
    const { current } = this.#containers.get(spec.name) ?? {}
    if (current?.state !== 'running') return
    this.#probes.get(spec.name)?.[Symbol.dispose]()
    const target = { container: spec, pid: current.process.pid, host: this.#address() }
    const onUnhealthy = (probe: string, message: string): void => {
      this.#listener.onEvent('Warning', 'Unhealthy', `${probe} failed: ${message}; container ${spec.name} is restarted`)
      this.#kill(spec.name, clock.now() + this.#graceMs())
    }
    this.#probes.set(spec.name, startContainerProbes({ clock, target, onChange: () => this.wake(), onUnhealthy }))
  }

  #stopProbes(): void {
    for (const probes of this.#probes.values()) probes[Symbol.dispose]()
    this.#probes.clear()
  }

  #onExit(name: string): void {
    this.#probes.get(name)?.[Symbol.dispose]()
    this.#probes.delete(name)
    this.#bell.ring()
    this.wake()
  }

  /** Where probes and hooks find the pod. */
  #address(): string {
    return podAddress(this.#pod, this.#ports.node.hostIP)
  }

  #graceMs(): number {
    return (this.#pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000
  }

  /** Ends one container of a pod that goes on. */
  #kill(name: string, deadline: number): void {
    if (this.#killing.has(name)) return
    this.#killing.add(name)
    const ended = this.#terminateContainer(name, () => Math.min(deadline, this.#deadline ?? deadline)).finally(() =>
      this.#killing.delete(name),
    )
    this.#killed = [...this.#killed.slice(-8), ended.catch(() => {})]
  }

  async #terminateContainer(name: string, deadline: () => number): Promise<void> {
    const container = this.#containers.get(name)
    const spec = allContainers(this.#pod).find((one) => one.name === name)
    if (container === undefined || spec === undefined) return
    await terminateContainer(container, spec, {
      clock: this.#ports.clock,
      bell: this.#bell,
      deadline,
      host: this.#address(),
      signal: this.#closed.signal,
    })
  }

  async #end(): Promise<void> {
    this.#timer?.[Symbol.dispose]()
    this.#stopProbes()
    const deadline = (): number => this.#deadline ?? 0
    const specs = allContainers(this.#pod)
    const end = (some: readonly ContainerSpec[]): Promise<unknown> =>
      Promise.all(some.map((spec) => this.#terminateContainer(spec.name, deadline)))
    await end(specs.filter((spec) => !isSidecar(spec)))
    await end(specs.filter(isSidecar))
    if (this.#closed.signal.aborted) return
    for (const left of findMarked(`${this.#uid}/`)) trySignal(left.pid, 'SIGKILL')
    const ran = [...this.#containers.values()].some((container) => container.current !== undefined)
    // From here on nothing may be written: the directory goes, and what comes late would bring it
    // back.
    this.#isOver = true
    await this.#listener.onTerminated(ran ? this.#status(finalPlan(this.#pod, this.#views())) : undefined)
    if (this.#closed.signal.aborted) return
    await this.#refresher?.close()
    await rm(this.#directory.path, { recursive: true, force: true })
    this.#closed.abort()
    this.#listener.onGone()
  }
}

/** A hook after the start may take its time, but not for ever. */
const hookLimitMs = 600_000

/**
 * Guests that all boot at once must not keep the control plane from its work: it needs little, but
 * that soon.
 */
const guestNiceness = 10

/** A timer cannot be set for longer; the pod is looked at again then. */
const longestTimerMs = 2_000_000_000

function isOver(phase: string): boolean {
  return phase === 'Succeeded' || phase === 'Failed'
}

function isSystemCritical(pod: Pod): boolean {
  return pod.spec?.priorityClassName?.startsWith('system-') === true
}
