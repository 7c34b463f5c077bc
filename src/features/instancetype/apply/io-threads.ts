import { conflictAt, type InstancetypePart } from './draft.ts'

/** Sets the size of the supplemental pool of I/O threads. */
export const applyIoThreadsInto: InstancetypePart = (draft, instancetype) => {
  const count = instancetype.ioThreads?.supplementalPoolThreadCount
  if (count === undefined) return []
  const { domain } = draft.spec
  if (domain.ioThreads?.supplementalPoolThreadCount !== undefined) return [conflictAt('domain.ioThreads.supplementalPoolThreadCount')]
  domain.ioThreads = { ...domain.ioThreads, supplementalPoolThreadCount: count }
  return []
}

/** Sets the I/O threads policy of disks. */
export const applyIoThreadsPolicyInto: InstancetypePart = (draft, instancetype) => {
  if (instancetype.ioThreadsPolicy === undefined) return []
  if (draft.spec.domain.ioThreadsPolicy !== undefined) return [conflictAt('domain.ioThreadsPolicy')]
  draft.spec.domain.ioThreadsPolicy = instancetype.ioThreadsPolicy
  return []
}
