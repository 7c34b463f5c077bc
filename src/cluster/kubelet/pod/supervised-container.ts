import type { Container as ContainerSpec, LifecycleHandler } from '#api/core/v1/container.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { type Container, type ContainerPorts, createContainer, type RunningRecord, type RunRequest } from '../container/container.ts'
import { runHook } from '../container/lifecycle-hook.ts'
import { terminateContainer } from '../container/terminate-container.ts'
import type { CommandOwner } from '../isolation/command-beside.ts'
import type { PodNetwork } from '../network/pod-network.ts'
import { startContainerProbes, type ContainerProbes } from '../probes/container-probes.ts'
import { untilMounted } from '../process/mount-namespace.ts'
import type { Notifier } from '../process/notifier.ts'

/** Dependencies of a supervised container. */
export interface SupervisionPorts extends ContainerPorts {
  readonly clock: Clock
  /** Notified when a container exits or the deadline of its termination changes. */
  readonly notifier: Notifier
  /** Aborted when the kubelet stops supervising: processes are then left as they are. */
  readonly closed: AbortSignal
  /** Spec of the container in the newest version of the pod. */
  spec(): ContainerSpec | undefined
  /** User of probe and hook commands; undefined: the kubelet's. */
  owner(): CommandOwner | undefined
  /** Address of the pod for probes and hooks. */
  address(): string
  /** Undefined: this machine has none. */
  readonly network?: PodNetwork | undefined
  /**
   * Deadline of a container that is stopped now while its pod runs on; milliseconds since the
   * epoch.
   */
  stopDeadline(): number
  /** Deadline of the pod; undefined while it runs. */
  terminateBy(): number | undefined
  /** Called when the pod worker must decide again. */
  onChange(): void
  onWarning(reason: string, message: string): void
}

/** One container with its probes and hooks. */
export interface SupervisedContainer extends Disposable, Pick<Container, 'identity' | 'current' | 'previous' | 'resize'> {
  /** The startup probe has passed in this run, or there is none and the container runs. */
  readonly started: boolean
  /** The readiness probe passes, or there is none and the container is started. */
  readonly ready: boolean
  /** Starts the next run, then its postStart hook and its probes. */
  start(request: RunRequest): Promise<void>
  /** Stops the container of a pod that runs on, in the background. May be repeated. */
  stop(): void
  /** Resolves when the container has exited, or supervision ends. */
  terminate(deadline: () => number): Promise<void>
  stopProbes(): void
  /** Resolves when no stop is under way. */
  settled(): Promise<void>
}

/**
 * Kubernetes sets no limit for postStart; an unlimited hook would never let the pod become ready.
 */
const hookLimitMs = 600_000

/** Recovers a container from its records, and probes it when it runs. */
export function superviseContainer(ports: SupervisionPorts, podUid: string, name: string, directory: string): SupervisedContainer {
  const { clock, exitWatch, notifier, closed } = ports
  let probes: ContainerProbes | undefined
  let stopping: Promise<void> | undefined
  const container = createContainer(ports, { podUid, name, directory }, () => {
    stopProbes()
    notifier.notify()
    ports.onChange()
  })

  function stopProbes(): void {
    probes?.[Symbol.dispose]()
    probes = undefined
  }
  function startProbes(): void {
    const { current } = container
    const spec = ports.spec()
    if (current?.state !== 'running' || spec === undefined) return
    stopProbes()
    const target = { container: spec, pid: current.process.pid, host: ports.address(), network: ports.network, owner: ports.owner() }
    const onUnhealthy = (probe: string, message: string): void => {
      ports.onWarning('Unhealthy', `${probe} failed: ${message}; container ${name} is restarted`)
      stop()
    }
    probes = startContainerProbes({ clock, target, onChange: () => ports.onChange(), onUnhealthy })
  }
  // A container is neither ready nor probed before its postStart hook has succeeded.
  async function postStart(spec: ContainerSpec, run: RunningRecord, hook: LifecycleHandler): Promise<void> {
    const exited = new AbortController()
    using _watching = exitWatch.watch(run.process, () => exited.abort())
    const target = { container: spec, pid: run.process.pid, host: ports.address(), network: ports.network, owner: ports.owner() }
    const { success, message } = await runHook(clock, hook, target, hookLimitMs, AbortSignal.any([exited.signal, closed]))
    const { current } = container
    if (closed.aborted || current?.state !== 'running' || current.restart !== run.restart || ports.terminateBy() !== undefined) return
    if (success) startProbes()
    else {
      ports.onWarning('FailedPostStartHook', `PostStartHook failed: ${message}; container ${name} is ended`)
      stop()
    }
    ports.onChange()
  }
  async function terminate(deadline: () => number): Promise<void> {
    const spec = ports.spec()
    if (spec !== undefined)
      await terminateContainer(container, spec, { clock, notifier, deadline, host: ports.address(), owner: ports.owner(), signal: closed })
  }
  function stop(): void {
    if (stopping !== undefined) return
    const deadline = ports.stopDeadline()
    const ended = terminate(() => Math.min(deadline, ports.terminateBy() ?? deadline))
    stopping = ended.catch(() => {}).finally(() => (stopping = undefined))
  }

  if (container.current?.state === 'running') startProbes()
  const runs = (): boolean => container.current?.state === 'running'
  return {
    identity: container.identity,
    get current() {
      return container.current
    },
    get previous() {
      return container.previous
    },
    get started() {
      return runs() && probes?.started === true
    },
    get ready() {
      return runs() && probes?.ready === true
    },
    async start(request) {
      await container.start(request)
      const { current: started } = container
      if (started?.state !== 'running') return
      await untilMounted(clock, started.process.pid)
      const spec = ports.spec()
      if (container.current !== started || closed.aborted || spec === undefined) return
      if (spec.lifecycle?.postStart === undefined) startProbes()
      else void postStart(spec, started, spec.lifecycle.postStart)
    },
    resize: (limits) => container.resize(limits),
    stop,
    terminate,
    stopProbes,
    settled: async () => stopping,
    [Symbol.dispose]: () => {
      stopProbes()
      container[Symbol.dispose]()
    },
  }
}
