import type { CronJob } from '#api/batch/v1/cron-job.ts'
import type { Job } from '#api/batch/v1/job.ts'
import { cronJobs, jobs } from '#api/batch/v1/resources.ts'
import { isAlreadyExists, isConflict, isNotFound } from '#apimachinery/errors.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { found } from '#client/found.ts'
import { compareResourceVersions } from '#client/resource-version.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { enqueueOwner, enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { isNamespaceTerminating } from '#cluster/controllers/namespaces/namespace-terminating.ts'
import { controlledBy, ownedInformer } from '#runtime/ownership/owner-index.ts'
import { writeStatus } from '../status-patch.ts'
import { typed, workloadPorts } from '../workload-ports.ts'
import { expectationKey } from '#runtime/controller/expectations.ts'
import { decideCronJob, withJob } from './decide.ts'

/** Creates the Jobs of CronJobs at their times, and deletes old ones. */
export function createCronJobController(options: ControllerOptions): Runnable {
  const ports = workloadPorts(options, 'cronjob-controller')
  const { client, informers, clock, log, recorder } = ports
  const cache = informers.informer(cronJobs)
  const jobCache = ownedInformer(informers, jobs)
  /** Version that our last write of a CronJob's status made, by key. */
  const written = new Map<string, string>()

  const reconciler: Reconciler = async ({ namespace, name }, { signal }) => {
    const cached = cache.get(namespace, name)
    if (cached === undefined) return done
    const cronJob = typed(cronJobs, cached)
    // Its active Jobs are older than what this controller has stored: the update is on the way.
    if (isOlder(cronJob, written.get(expectationKey(cronJob)))) return done
    const decision = decideCronJob({ cronJob, jobs: await jobsOf(cronJob, signal) }, clock.now())
    for (const { type, reason, message } of decision.events) recorder.event(cronJob, type, reason, message)
    for (const job of decision.remove) await remove(cronJob, job, signal)
    const made = decision.create === undefined ? undefined : await create(cronJob, decision.create, signal)
    const status = made === undefined ? decision.status : withJob(decision.status, made, decision.scheduledTime ?? '')
    const stored = await writeStatus(client, cronJobs, cronJob, status, { exact: true, signal })
    if (stored !== undefined) written.set(expectationKey(cronJob), stored.metadata.resourceVersion ?? '')
    return decision.recheckAfterMs === undefined ? done : recheckIn(decision.recheckAfterMs)
  }

  /** Reads active Jobs from the API that the cache lacks: it may not have those just created. */
  async function jobsOf(cronJob: CronJob, signal: AbortSignal): Promise<readonly Job[]> {
    const cachedJobs = controlledBy(jobCache, cronJob)
    const missing = (cronJob.status?.active ?? []).filter(({ uid }) => cachedJobs.every(({ metadata }) => metadata.uid !== uid))
    const read = await Promise.all(missing.map(({ namespace = '', name = '' }) => found(client.get(jobs, { namespace, name }, { signal }))))
    return [...cachedJobs, ...read.filter((job) => job !== undefined && controllerOf(job)?.uid === cronJob.metadata.uid)] as readonly Job[]
  }

  /** Resolves to the Job, also when an earlier attempt has created it. */
  async function create(cronJob: CronJob, job: Job, signal: AbortSignal): Promise<Job | undefined> {
    const { namespace = '', name = '' } = job.metadata
    try {
      const made = await client.create(jobs, job, { signal })
      recorder.event(cronJob, 'Normal', 'SuccessfulCreate', `Created job ${name}`)
      return made
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined
      if (!isAlreadyExists(error)) {
        recorder.event(cronJob, 'Warning', 'FailedCreate', `Error creating job: ${error instanceof Error ? error.message : String(error)}`)
        throw error
      }
      const existing = await client.get(jobs, { namespace, name }, { signal })
      return controllerOf(existing)?.uid === cronJob.metadata.uid ? existing : undefined
    }
  }

  async function remove(cronJob: CronJob, { metadata }: Job, signal: AbortSignal): Promise<void> {
    const { namespace = '', name = '', uid = '' } = metadata
    try {
      await client.delete(jobs, { namespace, name }, { propagationPolicy: 'Background', preconditions: { uid }, signal })
      recorder.event(cronJob, 'Normal', 'SuccessfulDelete', `Deleted job ${name}`)
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }

  const sources = [
    watchResource(cache, enqueueSelf, {
      predicate: (event) => {
        if (event.type !== 'deleted') return true
        written.delete(expectationKey(event.object))
        return false
      },
    }),
    watchResource(jobCache, enqueueOwner(cronJobs)),
  ]
  return createController({ name: 'cronjob', reconciler, sources, clock, log, concurrency: 5 })
}

function isOlder({ metadata }: CronJob, version: string | undefined): boolean {
  return version !== undefined && (compareResourceVersions(metadata.resourceVersion, version) ?? 0) < 0
}
