import type { Job } from '#api/batch/v1/job.ts'
import { jobs } from '#api/batch/v1/resources.ts'
import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { podFromTemplate } from '../pods/pod-from-template.ts'
import type { IndexFailures } from './indexes/index-failures.ts'
import { failureCountKey, ignoredFailureCountKey, indexKey, trackingFinalizer } from './names.ts'

/** What a new pod of a Job has of its own. */
export interface NewPod {
  /** Undefined in Jobs without indexes. */
  readonly index: number | undefined
  /** Undefined in Jobs without backoffLimitPerIndex. */
  readonly failures: IndexFailures | undefined
}

/** A new pod of a Job, which stays until it is counted. Pure. */
export function jobPod(job: Job, { index, failures }: NewPod): Pod {
  const pod = podFromTemplate(jobs, job, job.spec.template)
  const { metadata } = pod
  const tracked = { ...pod, metadata: { ...metadata, finalizers: [...(metadata.finalizers ?? []), trackingFinalizer] } }
  return index === undefined ? tracked : withFailures(withIndex(tracked, job.metadata.name ?? '', index), failures)
}

function withFailures(pod: Pod, failures: IndexFailures | undefined): Pod {
  if (failures === undefined) return pod
  const { counted, ignored } = failures
  const counts = { [failureCountKey]: String(counted), ...(ignored === 0 ? {} : { [ignoredFailureCountKey]: String(ignored) }) }
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...counts } } }
}

function withIndex(pod: Pod, jobName: string, index: number): Pod {
  const { metadata, spec } = pod
  const text = String(index)
  const tell = (container: Container): Container => {
    const env = container.env ?? []
    if (env.some(({ name }) => name === 'JOB_COMPLETION_INDEX')) return container
    const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${indexKey}']` } }
    return { ...container, env: [...env, { name: 'JOB_COMPLETION_INDEX', valueFrom }] }
  }
  return {
    ...pod,
    metadata: {
      ...metadata,
      generateName: `${jobName}-${text}-`,
      labels: { ...metadata.labels, [indexKey]: text },
      annotations: { ...metadata.annotations, [indexKey]: text },
    },
    spec: {
      ...spec,
      hostname: spec.hostname ?? `${jobName}-${text}`,
      containers: spec.containers.map(tell),
      ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(tell) }),
    },
  }
}
