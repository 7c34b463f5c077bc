import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'

const group = 'instancetype.kubevirt.io'

/** Returns a shared revision as a capture stores it, with more metadata. */
export function sharedRevision(name: string, { labels, ...metadata }: Partial<ControllerRevision['metadata']> = {}): ControllerRevision {
  const kind = 'VirtualMachineClusterInstancetype'
  return {
    metadata: {
      name,
      labels: {
        'steadyvm.io/shared': 'true',
        [`${group}/object-generation`]: '1',
        [`${group}/object-kind`]: kind,
        [`${group}/object-name`]: 'small',
        [`${group}/object-uid`]: 'u',
        [`${group}/object-version`]: 'v1beta1',
        ...labels,
      },
      ...metadata,
    },
    data: {
      apiVersion: `${group}/v1beta1`,
      kind,
      metadata: { name: 'small', uid: 'u', generation: 1 },
      spec: { cpu: { guest: 1 }, memory: { guest: '1Gi' } },
    },
    revision: 0,
  }
}
