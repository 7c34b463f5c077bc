import type { Job } from '#api/batch/v1/job.ts'
import { jobs } from '#api/batch/v1/resources.ts'
import { pods } from '#api/core/v1/resources.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { compareResourceVersions } from '#client/resource-version.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import { createExpectations, expectationKey } from '#runtime/controller/expectations.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { claimDependents } from '#runtime/ownership/adoption.ts'
import { enqueueController } from '#runtime/ownership/enqueue-controller.ts'
import { candidatesOf, ownedInformer } from '#runtime/ownership/owner-index.ts'
import { podControl } from '../pods/pod-control.ts'
import { workloadSelector } from '#runtime/ownership/selector.ts'
import { slowStart } from '#runtime/controller/slow-start.ts'
import { writeStatus } from '../status-patch.ts'
import { typed, workloadPorts } from '../workload-ports.ts'
import { isHeld } from './accounting.ts'
import { decideJob, type JobDecision } from './decide.ts'
import { jobPod } from './job-pod.ts'
import { releasePod } from './release-pod.ts'

const optionalCounts = ['active', 'succeeded', 'failed']

/** Runs the pods of Jobs until enough have succeeded, or too many failed. */
export function createJobController(options: ControllerOptions): Runnable {
  const ports = workloadPorts(options, 'job-controller')
  const { client, informers, clock, log, recorder } = ports
  const jobCache = informers.informer(jobs)
  const podCache = ownedInformer(informers, pods)
  const expectations = createExpectations({ clock })
  podCache.onEvent((event) => expectations.observe(event))
  /** Version that our last write of a Job's status made, by key. */
  const written = new Map<string, string>()

  const reconciler: Reconciler = async ({ namespace, name }, { signal }) => {
    const cached = jobCache.get(namespace, name)
    if (cached === undefined || isManagedElsewhere(cached)) return done
    const job = typed(jobs, cached)
    const key = expectationKey(job)
    // An older state would make later counts disappear: its update is on the way.
    if (isOlder(job, written.get(key))) return done
    const settled = expectations.satisfied(key)
    const claimant = { resource: jobs, owner: job, selector: workloadSelector(job.spec.selector) }
    const owned = await claimDependents(client, claimant, pods, candidatesOf(podCache, job), signal)
    const decision = decideJob({ job, pods: owned, settled }, clock.now(), timestamp(clock.now()))
    if (decision.isExpired) await removeJob(job, signal)
    else await report(job, decision, signal)
    await act(job, decision, signal)
    return decision.recheckAfterMs === undefined ? done : recheckIn(decision.recheckAfterMs)
  }

  /** Stores the status first: only stored counts may be built upon. */
  async function report(job: Job, { status, event }: JobDecision, signal: AbortSignal): Promise<void> {
    const stored = await writeStatus(client, jobs, job, status, { optional: optionalCounts, exact: true, signal })
    if (stored !== undefined) written.set(expectationKey(job), stored.metadata.resourceVersion ?? '')
    if (event !== undefined) recorder.event(job, event.type, event.reason, event.message)
  }

  async function act(job: Job, { release, remove, removeUncounted, create }: JobDecision, signal: AbortSignal): Promise<void> {
    const control = podControl(ports, job, expectations, signal)
    const results = await Promise.allSettled([
      ...release.map((pod) => releasePod(client, pod, signal)),
      ...remove.map((pod) => control.remove(pod)),
      ...removeUncounted.map(async (pod) => {
        if (isHeld(pod)) await releasePod(client, pod, signal)
        await control.remove(pod)
      }),
      slowStart(create.length, async (at) => {
        const next = create[at]
        if (next !== undefined) await control.create(jobPod(job, next))
      }),
    ])
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  async function removeJob({ metadata }: Job, signal: AbortSignal): Promise<void> {
    const { namespace = '', name = '', uid = '' } = metadata
    try {
      await client.delete(jobs, { namespace, name }, { propagationPolicy: 'Foreground', preconditions: { uid }, signal })
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }

  const sources = [
    watchResource(jobCache, enqueueSelf, {
      predicate: (event) => {
        if (event.type !== 'deleted') return true
        expectations.forget(expectationKey(event.object))
        written.delete(expectationKey(event.object))
        return false
      },
    }),
    watchResource(podCache, enqueueController(jobs, jobCache)),
  ]
  return createController({ name: 'job', reconciler, sources, clock, log, concurrency: 5 })
}

/** Reports whether another controller manages the Job, by spec.managedBy. */
function isManagedElsewhere({ spec }: Job): boolean {
  return spec.managedBy !== undefined && spec.managedBy !== 'kubernetes.io/job-controller'
}

function isOlder({ metadata }: Job, version: string | undefined): boolean {
  return version !== undefined && (compareResourceVersions(metadata.resourceVersion, version) ?? 0) < 0
}
