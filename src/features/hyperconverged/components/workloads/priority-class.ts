import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Workload } from './workload.ts'

/** Class of the pods of components, which component operators refer to by its name. */
export const priorityClass: Workload = {
  name: 'priority-class',
  part: 'compute',
  requestedBy: () => ({ kind: 'fixed', why: 'components refer to it' }),
  objects: () => [
    {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'kubevirt-cluster-critical' },
      // The highest value that Kubernetes leaves to others. `globalDefault` is absent: Kubernetes
      // does not store `false`, and its absence would look like a change by others.
      value: 1_000_000_000,
      description: 'For the pods of the components of the virtualization platform',
    } as KubeObject,
  ],
}
