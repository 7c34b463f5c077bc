import { createHash } from 'node:crypto'
import type { Pod } from '#api/core/v1/pod.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Purpose } from '../source/source.ts'

const prefixes: Readonly<Record<Purpose, string>> = { import: 'importer', upload: 'cdi-upload', clone: 'cdi-clone' }

/** Longest host name. Names of pods are cut to it, so that they are names of their certificates. */
const longest = 63

/**
 * Name of the pod and of the Secret of a worker. Derived from the UID of the claim: a controller
 * that was killed, or has a stale cache, creates no second one. Pure.
 */
export function workerName({ metadata: { name = '', uid = '' } }: PersistentVolumeClaim, purpose: Purpose): string {
  const suffix = createHash('sha256').update(uid).digest('hex').slice(0, 8)
  const prefix = `${prefixes[purpose]}-${name.replaceAll('.', '-')}`.slice(0, longest - suffix.length - 1).replace(/-+$/, '')
  return `${prefix}-${suffix}`
}

/** Name of the pod that serves the source of a worker in another namespace. Pure. */
export function sourceName({ metadata: { uid = '' } }: Pod): string {
  return `cdi-clone-source-${createHash('sha256').update(uid).digest('hex').slice(0, 16)}`
}
